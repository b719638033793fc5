import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { run } from '../../nodes/ChatbotService/run/run';
import { inTime, isSettled, useVirtualTime } from '../virtualTime';
import { answer, closed } from './answers';
import { pass } from './clients';
import { contextFor, newCredential, range } from './runs';

/* How long it takes to ask for the tags of contacts one by one, and what the user sees of it. */

useVirtualTime();

const page = 500;

/** A service that returns contacts without tags. Every tenth has the tag. */
function serviceOf(
	people: number,
	answerTo: (contact: number) => ServiceAnswer | undefined = () => undefined,
) {
	const pages: number[] = [];
	const contacts: number[] = [];
	const last = Math.ceil(people / page);
	const send = async ({ url, qs }: IHttpRequestOptions): Promise<ServiceAnswer> => {
		const of = qs as IDataObject;
		await new Promise((resolve) => setTimeout(resolve, 10));
		if (url.endsWith('/getContacts')) {
			const current = Number(of.page ?? 1);
			pages.push(current);
			const ids = range((current - 1) * page + 1, Math.min(current * page, people) + 1);
			const data = ids.map((id) => ({ id, name: `Контакт ${id}` }));
			return answer(200, { data, meta: { current_page: current, last_page: last } });
		}
		const contact = Number(of.contact_id);
		contacts.push(contact);
		return answerTo(contact) ?? answer(200, { data: contact % 10 ? [] : ['VIP'] });
	};
	return { send, pages, contacts };
}

function start(service: ReturnType<typeof serviceOf>, parameters: object = {}, signal?: AbortSignal) {
	const [hint, log] = [jest.fn(), jest.fn()];
	const credential = newCredential(2);
	const context = contextFor(
		1,
		{ send: service.send, credential, hint, log, signal },
		{
			...{ resource: 'contact', operation: 'getAll', returnAll: true, include: [] },
			...{ filters: { hasAnyTag: 'vip' } },
			...parameters,
		},
	);
	const began = performance.now();
	const ended = run(context);
	const notices = () => hint.mock.calls.map(([{ message }]) => message as string).join(' ');
	return { ended, notices, logged: () => log.mock.calls.flat() as string[], began };
}

const minutes = (count: number) => count * 60_000;

test('3,000 contacts take 25 minutes and one, and six requests more than there are contacts', async () => {
	const service = serviceOf(3000);
	const { ended, notices, logged, began } = start(service);
	const items = await inTime(ended, minutes(60));
	expect(items).toHaveLength(300);
	expect([service.pages, service.contacts]).toEqual([range(1, 7), range(1, 3001)]);
	expect(performance.now() - began).toBeLessThan(minutes(26));
	expect(notices()).toMatch(/tags of 3,000 contacts one by one \((?:25|26) minutes\)/);
	expect(logged()[0]).toMatch(/without tags\. .* 3000 contacts one by one; about 25 minutes left$/);
	// Every half a minute, with fewer left each time.
	expect(logged().length).toBeGreaterThan(40);
	expect(logged()[20]).toMatch(/^Рассылка: .* are read; about 1\d minutes left$/);
});

test('answers that take longer than the pace do not slow it down', async () => {
	const service = serviceOf(200);
	const send = async (options: IHttpRequestOptions) => {
		await new Promise((resolve) => setTimeout(resolve, 1200));
		return await service.send(options);
	};
	const { ended, began } = start({ ...service, send });
	await inTime(ended, minutes(10));
	// One after the other, they take four minutes.
	expect(performance.now() - began).toBeLessThan(minutes(2.5));
});

test('Stop ends it within a second, and nobody else is asked for', async () => {
	const service = serviceOf(20_000);
	const stop = new AbortController();
	const { ended, logged } = start(service, { include: ['variables'] }, stop.signal);
	const settled = ended.catch((error: unknown) => error);
	await pass(minutes(3));
	expect(logged()[0]).toContain('about 5 hours and 34 minutes left');
	stop.abort();
	await pass(1000);
	expect(await isSettled(settled)).toBe(true);
	expect(await settled).toMatchObject({ message: 'The execution was canceled' });
	const asked = service.contacts.length;
	await pass(minutes(1));
	expect(service.contacts).toHaveLength(asked);
});

test('four minutes of maintenance in the middle are waited for, since an hour would be lost', async () => {
	let closedUntil = Infinity;
	const service = serviceOf(300, (contact) => {
		if (contact === 200 && closedUntil === Infinity) closedUntil = performance.now() + minutes(4);
		return contact >= 200 && performance.now() < closedUntil ? closed() : undefined;
	});
	const { ended, logged } = start(service);
	expect(await inTime(ended, minutes(30))).toHaveLength(30);
	expect(logged().some((text) => text.includes('It waits: '))).toBe(true);
});

test.each<[string, () => ServiceAnswer, number]>([
	['that refuses every request', () => answer(403, { message: 'Forbidden' }), 10],
	['that stays closed', () => closed(), 5 * 60],
])(
	'items that look for people at a service %s end with its reason, most without a request',
	async (_, refuse, most) => {
		const sent: string[] = [];
		const send = async ({ url }: IHttpRequestOptions) => {
			sent.push(url);
			await new Promise((resolve) => setTimeout(resolve, 10));
			return refuse();
		};
		const hint = jest.fn();
		const phones = range(0, 200).map((index) => ({ phone: `+7916${String(index).padStart(7, '0')}` }));
		const context = contextFor(
			200,
			{ send, credential: newCredential(2), hint, continues: true },
			{
				...{ resource: 'contact', operation: 'getAll', returnAll: true },
				filters: { phone: '={{ $json.phone }}' },
			},
			phones,
		);
		const began = performance.now();
		const items = await inTime(run(context), minutes(20));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(range(0, 200).map((item) => ({ item })));
		expect(items.every(({ json }) => typeof json.error === 'string')).toBe(true);
		expect(sent.length).toBeLessThanOrEqual(most);
		expect(performance.now() - began).toBeLessThan(minutes(6));
		expect(hint.mock.calls.map(([{ message }]) => message as string).join()).toContain('not attempted');
	},
);
