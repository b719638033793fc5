import { labelOf } from '../../operations/words';
import { doneButNotSaid, mayBeSent, mayBeSentAlready, refusal, openExamples } from '../support/examples';
import { submitForm, untilFormIsThere } from '../support/form';

const { bench, delivered, idOf } = openExamples();

const file = 'welcome-form-lead.json';
const manager = 5004;
const consent = ['Можно писать мне в WhatsApp'];
const submit = async (name: string, phone: string) =>
	await submitForm(`${bench.host.url}/form/trial-lesson`, [name, phone, 'Подготовка к ЕГЭ', consent]);
const finish = async ({ executionId }: { executionId: string }) =>
	await bench.api.waitForExecution(executionId);
const phonesGreeted = () =>
	bench.service
		.deliveries()
		.filter(({ contactId }) => contactId !== manager)
		.map(({ recipient }) => recipient);

beforeAll(async () => {
	await bench.api.activateWorkflow(idOf(file));
	await untilFormIsThere(`${bench.host.url}/form/trial-lesson`);
});

test('a submitted form greets the lead, notifies the manager and shows thanks', async () => {
	const ending = await submit('Ольга Белова', '8 (921) 700-12-34');
	expect(ending).toMatchObject({ title: 'Спасибо!', message: expect.stringContaining('+79217001234') });
	expect((await finish(ending)).status).toBe('success');
	expect(phonesGreeted()).toEqual(['+79217001234']);
	expect(bench.service.deliveries()[0]!.text).toMatch(/Ольга Белова.*Подготовка к ЕГЭ/);
	expect(delivered()[manager]).toEqual([expect.stringMatching(/Ольга Белова, \+79217001234.*отправлено/)]);
});

test('a form that is submitted twice sends one greeting, in any spelling of the number', async () => {
	const first = await submit('Тимур', '+7 937 480-56-78');
	await finish(first);
	const second = await submit('тимур ', '8 937 480 56 78');
	expect(second.title).toBe('Ваша заявка уже у нас');
	expect((await finish(second)).status).toBe('success');
	expect(phonesGreeted()).toEqual(['+79374805678']);
	expect(delivered()[manager]).toHaveLength(1);
});

test('a lead with an invalid number reads that it is invalid, and the manager is asked to call', async () => {
	const ending = await submit('Пётр', 'нет');
	expect(ending.title).toBe('Заявка принята');
	expect(ending.message).toContain('нет');
	const [failed] = (await finish(ending)).output('Greet in WhatsApp', 1);
	const label = labelOf('message/sendToWhatsApp', 'phone');
	expect(failed?.json).toMatchObject({ error: expect.stringContaining(`'${label}'`) });
	expect(phonesGreeted()).toEqual([]);
	expect(delivered()[manager]).toEqual([expect.stringMatching(`позвоните: Пётр, нет.*'${label}'`)]);
});

test('a greeting whose outcome is unknown is not repeated, and the manager is notified', async () => {
	bench.service.faults.add(doneButNotSaid('sendMessageToWhatsApp'));
	const ending = await submit('Алла', '+79161112233');
	await finish(ending);
	expect(ending.title).toBe('Заявка принята');
	expect(phonesGreeted()).toEqual(['+79161112233']);
	expect(delivered()[manager]).toEqual([expect.stringMatching(`Алла.*${mayBeSent}`)]);

	bench.service.faults.clear();
	await finish(await submit('Алла', '+79161112233'));
	expect(phonesGreeted()).toEqual(['+79161112233']);
	expect(delivered()[manager]).toEqual([
		expect.anything(),
		expect.stringMatching(`Алла.*${mayBeSentAlready}`),
	]);
});

test('a lead who could not be greeted can submit the form again', async () => {
	bench.service.faults.add(refusal('sendMessageToWhatsApp', 'Сервис WhatsApp недоступен.'));
	expect((await submit('Лев', '+79163334455')).title).toBe('Заявка принята');
	bench.service.faults.clear();
	const second = await submit('Лев', '+79163334455');
	expect(second.title).toBe('Спасибо!');
	await finish(second);
	expect(phonesGreeted()).toEqual(['+79163334455']);
});

test('the lead sees the right page although the manager cannot be notified', async () => {
	bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.'));
	const ending = await submit('Вера', '+79164445566');
	expect(ending.title).toBe('Спасибо!');
	expect((await finish(ending)).status).toBe('success');
});
