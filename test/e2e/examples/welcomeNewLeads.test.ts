import { openExample, rows } from '../support/examples';

/* The example that `npm start` runs, with the leads of its file. */

const { bench, contact, delivered, run, variablesOf } = openExample('welcome-new-leads.json');

test('"Welcome new leads" does once what each lead asks for, and reports the lead that cannot be reached', async () => {
	const execution = await run();
	expect(execution.status).toBe('success');
	const greeting = 'Здравствуйте, Анна Соколова! Спасибо за интерес: Разговорный английский.';
	expect(delivered()[5001]).toEqual([expect.stringContaining(greeting)]);
	expect(contact(5001).tags).toContain('Пробный урок');
	expect(variablesOf(5001)).toMatchObject({ Город: 'Казань', Интерес: 'Разговорный английский' });
	const reason = expect.stringContaining('Contact ID');
	expect(rows(execution, 'Failed leads')).toMatchObject([{ name: 'Пётр Без-Номера', reason }]);
	// Two variables, a tag and a message for each of five contacts; only a message for two phone numbers.
	expect(bench.service.deliveries()).toHaveLength(7);
	expect(bench.service.requests).toHaveLength(5 * 4 + 2);
});
