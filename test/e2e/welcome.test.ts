import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';

/* The example that `npm start` runs, with the leads of its file. */

const bench = duringTests(openBench);

const greeting = (name: string, interest: string) =>
	`Здравствуйте, ${name}! Спасибо за интерес: ${interest}. Скоро ответим на все вопросы.`;

test('"Welcome new leads" does once what each lead asks for, and reports the lead that cannot be reached', async () => {
	const { api, service, examples } = bench;
	const execution = await api.runWorkflow(examples.get('welcome-new-leads.json')!);
	expect(execution.status).toBe('success');

	const texts = service.deliveries().map(({ text }) => text);
	expect(texts.sort()).toEqual([
		greeting('Анна Соколова', 'Разговорный английский'),
		greeting('Артём Бондаренко', 'Английский для путешествий'),
		greeting('Дмитрий Орлов', 'Английский для ИТ, группа B1'),
		greeting('Иван Петров', 'Подготовка к IELTS'),
		greeting('Наталья Ткаченко', 'Деловой английский'),
		greeting('Ольга Белова', 'Английский для детей'),
		greeting('Тимур Галиев', 'Подготовка к ЕГЭ'),
	]);
	const anna = service.data.contacts.get(5001)!;
	expect(anna.tags).toContain('Пробный урок');
	expect(Object.fromEntries(anna.variables.map(({ name, value }) => [name, value]))).toMatchObject({
		Город: 'Казань',
		Интерес: 'Разговорный английский',
	});
	expect(execution.output('Failed leads').map(({ json }) => json)).toEqual([
		expect.objectContaining({ name: 'Пётр Без-Номера', reason: expect.stringContaining('Contact ID') }),
	]);
	// Two variables, a tag and a message for each of five contacts; only a message for two phone numbers.
	expect(service.requests).toHaveLength(5 * 4 + 2);
	service.assertContract();
});
