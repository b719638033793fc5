import { startAnswering, type Answering } from './answering';
import { credentialFor, loadList, runNode, stoppable, until, type RunOptions } from './harness';

/* Only the service says which page is the last. If it is wrong about that, reading still ends, with an error that says so. */

interface Numbers {
	current: number;
	last: number;
	rows?: string[];
}

/** Answers by requested page. */
const startPages = async (answer: (asked: number) => Numbers) =>
	await startAnswering(({ url }) => {
		const asked = Number(new URL(url, 'http://service').searchParams.get('page') ?? 1);
		const { current, last, rows = [`${asked}-1`, `${asked}-2`] } = answer(asked);
		return {
			data: rows.map((name) => ({ id: name, name })),
			links: { next: 'there are more' },
			meta: { current_page: current, last_page: last, per_page: rows.length },
		};
	});

const all = { resource: 'listSchema', operation: 'getAll', returnAll: true };

const read = async (service: Answering, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters: all, credential: credentialFor(service), ...options });

const endless: Array<[string, (asked: number) => Numbers, RegExp, number]> = [
	[
		'answers the first page whatever is asked for',
		() => ({ current: 1, last: 3, rows: ['а', 'б'] }),
		/The service returned page 1 instead of page 2\./,
		2,
	],
	[
		'ignores the page, but counts up',
		(asked) => ({ current: asked, last: 3, rows: ['а', 'б'] }),
		/Page 2 contains the same rows as an earlier page\./,
		2,
	],
	[
		'repeats a page as the last one',
		(asked) => ({ current: asked, last: 2, rows: ['а', 'б'] }),
		/Page 2 contains the same rows/,
		2,
	],
	[
		'alternates between two pages',
		(asked) => ({ current: asked, last: 1e9, rows: [`${asked % 2}`] }),
		/The service reports 1000000000 pages/,
		1,
	],
	[
		'counts backwards',
		(asked) => ({ current: 4 - asked, last: 5 }),
		/The service returned page 3 instead of page 1\./,
		1,
	],
	[
		'skips pages',
		(asked) => ({ current: asked * 2 - 1, last: 9 }),
		/The service returned page 3 instead of page 2\./,
		2,
	],
	[
		'has one page more with each page',
		(asked) => ({ current: asked, last: asked + 1 }),
		/On page \d+, the service reports \d+ pages/,
		12,
	],
	[
		'has a billion pages',
		(asked) => ({ current: asked, last: 1e9 }),
		/The service reports 1000000000 pages/,
		1,
	],
];

describe.each(endless)('a service that %s', (_name, answer, reason, requests) => {
	test('ends a run with an error that says so', async () => {
		const service = await startPages(answer);
		const { error } = await read(service);
		expect(error?.message).toBe('The service does not number its pages as expected [Item 0]');
		expect(error?.description).toMatch(reason);
		expect(error?.description).toContain('Nothing was changed.');
		expect(service.targets).toHaveLength(requests);
	});

	test('ends a list of the editor with an error that says so, also from page to page', async () => {
		for (const filter of ['nothing is called that', undefined]) {
			const service = await startPages(answer);
			const options = { parameters: all, credential: credentialFor(service) };
			const load = async () => {
				let token: string | undefined;
				do {
					const asked = { ...(filter && { filter }), ...(token && { paginationToken: token }) };
					token = (await loadList('searchListSchemas', options, asked)).paginationToken as typeof token;
				} while (token);
			};
			await expect(load()).rejects.toMatchObject({
				message: 'The service does not number its pages as expected',
				description: expect.stringMatching(reason) as string,
			});
			expect(service.targets).toHaveLength(requests);
		}
	});
});

test('a list that grows slightly during reading is read to its end', async () => {
	const service = await startPages((asked) => ({ current: asked, last: asked < 3 ? 3 : 4 }));
	const { error, json } = await read(service);
	expect(error).toBeUndefined();
	expect(json).toHaveLength(8);
});

test('wrong page numbers do not affect a list of few rows', async () => {
	const service = await startPages(() => ({ current: 7, last: 9 }));
	const { error, json } = await read(service, { parameters: { ...all, returnAll: false, limit: 2 } });
	expect(error).toBeUndefined();
	expect(json).toHaveLength(2);
});

test('Stop ends the reading of pages immediately', async () => {
	const service = await startPages((asked) => ({ current: asked, last: 9000 }));
	const { ended, stop } = stoppable(async (onStart) => await read(service, { onStart }));
	await until(() => service.targets.length > 20);
	const asked = service.targets.length;
	stop();
	expect((await ended).run.status).toBe('canceled');
	await new Promise((resolve) => setTimeout(resolve, 500));
	// One request may have been in progress; a page takes a few milliseconds.
	expect(service.targets.length).toBeLessThanOrEqual(asked + 1);
});
