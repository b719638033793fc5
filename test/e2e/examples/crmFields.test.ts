import { rows, unknownContact, openExamples } from '../support/examples';

const { contact, run, variablesOf } = openExamples();

const file = 'sync-crm-fields.json';

test('CRM fields become contact variables, and the answers are returned as a row for each customer', async () => {
	const before = variablesOf(5001);
	contact(5002).variables.push(
		{ id: 1, name: 'Интерес', value: 'Подготовка к IELTS', deletable: false },
		{ id: 2, name: 'Комментарий к заявке', value: 'По субботам', deletable: true },
	);

	const execution = await run(file);
	expect(execution.status).toBe('success');
	expect(variablesOf(5001)).toEqual({ ...before, Город: 'Казань', Уровень: 'B2', Менеджер: 'Ольга' });
	expect(variablesOf(5004)).toEqual({ Город: 'Екатеринбург', Менеджер: 'Павел' });
	expect(rows(execution, 'Written')).toHaveLength(8);
	expect(rows(execution, 'Update the CRM')).toEqual([
		{ crm_id: 'C-101', contact_id: '5001', wish: 'Удобно после 18:00' },
		{ crm_id: 'C-102', contact_id: '5002', interest: 'Подготовка к IELTS', wish: 'По субботам' },
	]);
});

test('the example with CRM fields reports customers that were not written, not read or not in the bot, and a second run writes the same', async () => {
	const first = await run(file);
	const gone = {
		crm_id: 'C-105',
		contact_id: '49999',
		reason: expect.stringContaining(unknownContact),
	};
	expect(rows(first, 'Not written')).toEqual([expect.objectContaining({ ...gone, variable: 'Город' })]);
	expect(rows(first, 'Not read')).toEqual([expect.objectContaining(gone)]);
	expect(rows(first, 'Invite them to the bot')).toEqual([expect.objectContaining({ crm_id: 'C-104' })]);

	const variables = variablesOf(5001);
	const second = await run(file);
	expect(variablesOf(5001)).toEqual(variables);
	expect(rows(second, 'Update the CRM')).toEqual(rows(first, 'Update the CRM'));
});
