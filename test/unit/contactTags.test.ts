import { sleep } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { pass, useVirtualTime } from '../virtualTime';
import { answer, closed, forbidden } from './answers';
import { endpointOf, newCredential, range, runFor, type AnswerTo, type RunChanges } from './runs';

/* How long it takes to ask for the tags of contacts one by one, and what the user sees of it. */

useVirtualTime();

const page = 500;
const minutes = (count: number) => count * 60_000;
const getAll = { resource: 'contact', operation: 'getAll', returnAll: true };

/** Looks for those with a tag at a service that returns contacts without tags. Every tenth has it. */
async function readAll(
	people: number,
	answerOf: (contact: number) => ServiceAnswer | undefined | Promise<undefined> = () => undefined,
	changes: RunChanges = {},
) {
	const pages: number[] = [];
	const asked: number[] = [];
	const last = Math.ceil(people / page);
	const answerTo: AnswerTo = async (contact, _to, request) => {
		if (endpointOf(request) === 'getContacts') {
			const current = Number(request.qs!.page ?? 1);
			pages.push(current);
			const ids = range((current - 1) * page + 1, Math.min(current * page, people) + 1);
			const data = ids.map((id) => ({ id, name: `Контакт ${id}` }));
			return answer(200, { data, meta: { current_page: current, last_page: last } });
		}
		asked.push(contact);
		return (await answerOf(contact)) ?? answer(200, { data: contact % 10 ? [] : ['VIP'] });
	};
	const context = { answerTo, credential: newCredential(2), ...changes };
	const run = await runFor(1, context, { ...getAll, include: [], filters: { hasAnyTag: 'vip' } });
	return { ...run, pages, asked };
}

test('600 contacts take about five minutes, of which the user reads', async () => {
	const { items, pages, asked, tookMs, notice, logged } = await readAll(600);
	expect([items.length, pages, asked]).toEqual([60, [1, 2], range(1, 601)]);
	expect(tookMs).toBeLessThan(minutes(6));
	expect(notice).toMatch(/tags of 600 contacts one by one \([56] minutes\)/);
	expect(logged[0]).toMatch(/without tags\. .* 600 contacts one by one; about 5 minutes left$/);
	// Every half a minute, with fewer left each time.
	expect(logged.length).toBeGreaterThan(8);
	expect(logged[4]).toMatch(/^Рассылка: .* are read; about [1-4] minutes left$/);
});

test('answers that take longer than the pace do not slow it down', async () => {
	const { tookMs } = await readAll(200, async () => await sleep(1200).then(() => undefined));
	// One after the other, they take four minutes.
	expect(tookMs).toBeLessThan(minutes(2.5));
});

test('Stop ends it within a second, and nobody else is asked for', async () => {
	const stop = new AbortController();
	let asked = 0;
	setTimeout(() => stop.abort(), minutes(3));
	const run = await readAll(20_000, () => void asked++, { signal: stop.signal });
	expect(run.logged[0]).toContain('about 2 hours and 47 minutes left');
	expect([run.error!.message, run.tookMs < minutes(3) + 1000]).toEqual(['The execution was canceled', true]);
	const until = asked;
	await pass(minutes(1));
	expect(asked).toBe(until);
});

test('four minutes of maintenance in the middle are waited for', async () => {
	let closedUntil = Infinity;
	const { items, logged } = await readAll(300, (contact) => {
		if (contact === 200 && closedUntil === Infinity) closedUntil = performance.now() + minutes(4);
		return contact >= 200 && performance.now() < closedUntil ? closed() : undefined;
	});
	expect(items).toHaveLength(30);
	expect(logged.some((text) => text.includes('It waits: '))).toBe(true);
});

test.each<[string, () => ServiceAnswer, number]>([
	['refuses every request', () => forbidden, 10],
	['stays closed', () => closed(), 5 * 60],
])('items end with the reason of a service that %s', async (_, answerTo, most) => {
	const phones = range(0, 200).map((index) => ({ phone: `+7916${String(index).padStart(7, '0')}` }));
	const changes = { answerTo, credential: newCredential(2), continues: true };
	const parameters = { ...getAll, filters: { phone: '={{ $json.phone }}' } };
	const { items, errors, to, tookMs, notice } = await runFor(200, changes, parameters, phones);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(range(0, 200).map((item) => ({ item })));
	expect(errors.filter(Boolean)).toHaveLength(200);
	expect([to.length <= most, tookMs < minutes(6), notice.includes('not attempted')]).toEqual([
		...[true, true, true],
	]);
});
