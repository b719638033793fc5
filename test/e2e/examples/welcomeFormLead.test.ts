import { labelOf } from '../../operations/words';
import { doneButNotSaid, mayBeSent, mayBeSentAlready, openExample, refusal } from '../support/examples';
import { leave, submitForm } from '../support/pages';

const { address, bench, delivered, ended, publish } = openExample('welcome-form-lead.json');

const manager = 5004;

/** Submits the form, and waits for the end. @returns the page at the end */
async function submit(name: string, phone: string) {
	const values = [name, phone, 'Подготовка к ЕГЭ', ['Можно писать мне в WhatsApp']];
	const page = await submitForm(address(), values);
	await leave(page);
	expect((await ended(page)).status).toBe('success');
	return page;
}

const phonesGreeted = () =>
	bench.service
		.deliveries()
		.filter(({ contactId }) => contactId !== manager)
		.map(({ recipient }) => recipient);

beforeAll(publish);

test('a form that is submitted twice sends one greeting, in any spelling of the number, and notifies the manager once', async () => {
	const first = await submit('Ольга Белова', '8 (921) 700-12-34');
	expect(first).toMatchObject({ title: 'Спасибо!', message: expect.stringContaining('+79217001234') });
	expect(bench.service.deliveries()[0]!.text).toMatch(/Ольга Белова.*Подготовка к ЕГЭ/);
	expect((await submit('ольга белова ', '+7 921 700 12 34')).title).toBe('Ваша заявка уже у нас');
	expect(phonesGreeted()).toEqual(['+79217001234']);
	expect(delivered()[manager]).toEqual([expect.stringMatching(/Ольга Белова, \+79217001234.*отправлено/)]);
});

test('a lead with an invalid number reads that it is invalid, and the manager is asked to call', async () => {
	const page = await submit('Пётр', 'нет');
	expect(page).toMatchObject({ title: 'Заявка принята', message: expect.stringContaining('нет') });
	expect(phonesGreeted()).toEqual([]);
	const label = labelOf('message/sendToWhatsApp', 'phone');
	expect(delivered()[manager]).toEqual([expect.stringMatching(`позвоните: Пётр, нет.*'${label}'`)]);
});

test('a greeting whose outcome is unknown is not repeated, and the manager is notified', async () => {
	bench.service.faults.add(doneButNotSaid('sendMessageToWhatsApp'));
	expect((await submit('Алла', '+79161112233')).title).toBe('Заявка принята');
	bench.service.faults.clear();
	await submit('Алла', '+79161112233');
	expect(phonesGreeted()).toEqual(['+79161112233']);
	expect(delivered()[manager]).toEqual([
		expect.stringMatching(`Алла.*${mayBeSent}`),
		expect.stringMatching(`Алла.*${mayBeSentAlready}`),
	]);
});

test('a lead who could not be greeted can submit the form again, and sees the right page although the manager cannot be notified', async () => {
	bench.service.faults.add(refusal('sendMessage', manager));
	bench.service.faults.add(refusal('sendMessageToWhatsApp', undefined, 'Сервис WhatsApp недоступен.'));
	expect((await submit('Лев', '+79163334455')).title).toBe('Заявка принята');
	bench.service.faults.clear();
	bench.service.faults.add(refusal('sendMessage', manager));
	expect((await submit('Лев', '+79163334455')).title).toBe('Спасибо!');
	expect(phonesGreeted()).toEqual(['+79163334455']);
});
