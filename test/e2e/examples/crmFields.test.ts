import { openExample, rows } from '../support/examples';

const { contact, run, variablesOf } = openExample('sync-crm-fields.json');

test('CRM fields become contact variables, the answers are returned as a row for each customer, and a second run writes the same', async () => {
	const before = variablesOf(5001);
	contact(5002).variables.push(
		{ id: 1, name: 'Интерес', value: 'Подготовка к IELTS', deletable: false },
		{ id: 2, name: 'Комментарий к заявке', value: 'По субботам', deletable: true },
	);
	for (let time = 0; time < 2; time++) {
		const execution = await run();
		expect(variablesOf(5001)).toEqual({ ...before, Город: 'Казань', Уровень: 'B2', Менеджер: 'Ольга' });
		expect(variablesOf(5004)).toEqual({ Город: 'Екатеринбург', Менеджер: 'Павел' });
		expect(rows(execution, 'Update the CRM')).toEqual([
			{ crm_id: 'C-101', contact_id: 5001, wish: 'Удобно после 18:00' },
			{ crm_id: 'C-102', contact_id: 5002, interest: 'Подготовка к IELTS', wish: 'По субботам' },
		]);
	}
});

test('the example with CRM fields reports customers that were not written, not read or not in the bot', async () => {
	const execution = await run();
	const gone = { crm_id: 'C-105', contact_id: '49999', reason: expect.stringMatching(/\S/) };
	expect(rows(execution, 'Not written')).toEqual([expect.objectContaining(gone)]);
	expect(rows(execution, 'Not read')).toEqual([expect.objectContaining(gone)]);
	expect(rows(execution, 'Invite them to the bot')).toEqual([expect.objectContaining({ crm_id: 'C-104' })]);
});
