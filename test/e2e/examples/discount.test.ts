import { SEEDED } from '../../../sandbox/emulator';
import { openExample, refusal, rows } from '../support/examples';
import { answer, nextLink } from '../support/pages';

/* That nobody answers in time is in nightly/timeLimits.test.ts. */

const { bench, call, delivered, ended, publish } = openExample('approve-discount.json');

const manager = 5004;
const { telegram: customer } = SEEDED.contacts;
const request = { contact_id: customer, text: 'Дадите скидку, если оплатить сразу год?' };

/** Asks for a discount, and presses a button of the page that the manager's question links to. */
async function decide(button: 'approve' | 'decline') {
	const called = await call(request);
	const link = await nextLink(bench, called.executionId, 0);
	return { called, page: await answer(link, { answer: button }) };
}

beforeAll(publish);

test.each([
	['approves', 'approve', 'одобрил скидку'],
	['declines', 'decline', 'К сожалению'],
] as const)('a customer gets the answer when the manager %s the discount', async (_, button, words) => {
	const { called, page } = await decide(button);
	expect(called.answer).toEqual({ status: 200, body: '' });
	expect(page.text).toContain('class="answer"');
	expect((await ended(called)).status).toBe('success');
	const { [manager]: questions, ...others } = delivered();
	expect(questions).toEqual([expect.stringContaining(`контакт ${customer}: «${request.text}»`)]);
	expect(questions![0]).toContain('Теги: Новый лид, Пробный урок, Группа B1');
	expect(others).toEqual({ [customer]: [expect.stringContaining(words)] });
});

test('a request for a discount is reported when the question is refused', async () => {
	bench.service.faults.add(refusal('sendMessage', manager));
	const details = expect.stringContaining('заблокировал');
	expect(rows(await ended(await call(request)), 'Not done')).toMatchObject([
		{ contact_id: String(customer), answer: 'not asked', details },
	]);
	expect(delivered()).toEqual({});
});

test('an approved discount that the customer was not told about is reported as approved', async () => {
	bench.service.faults.add(refusal('sendMessage', customer));
	const { called } = await decide('approve');
	const details = expect.stringContaining('заблокировал');
	expect(rows(await ended(called), 'Not done')).toMatchObject([
		{ contact_id: String(customer), answer: 'approved', details },
	]);
});
