import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { addContacts, SEEDED, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { modes, type Mode } from './everyOperation';
import { stoppable, until } from './harness';
import { getReferrals, me, postContact, refusal, setVariables, testing, toVk } from './messages';
import { apart, goingOn, scene, usual } from './scene';

/*
 * Stop ends a run at once, wherever it waits, sends nothing more, and says what may have been done: only what was in progress. Moments
 * that the engine cannot cause reliably: unit/run.test.ts.
 */

const { service, run, asked, stopWhen } = scene(toVk);
// So that a search has several pages.
beforeEach(() => void addContacts(service.data, 1200));

const { telegram, whatsapp, viber, vk } = SEEDED.contacts;
const people = [telegram, whatsapp, viber, vk].map((id, item) => ({ id, text: `Письмо ${item}` }));
const one = people.slice(0, 1);

const search = usual('contact/get', { findBy: 'phone', findValue: '+79990000000' });
const getMany = usual('contact/getAll', { returnAll: false, limit: 1, include: ['tags'] });
const question = usual('message/sendAndWait');
const aTest = { ...toVk, ...testing({ contactId: me }) };

const nth = (place: number): Fault['match'] => ({ nth: place });
const third: Fault['match'] = { text: 'Письмо 2' };
const level: Fault['match'] = { where: ({ input }) => input.name === 'Уровень' };

/** Where a run waits: its requests, the last of which gets no answer, how many items are done, and whose outcome is said to be unknown. */
type Place = [string, object, IDataObject[], Fault['match'], string[], number, string?];

const message = 'sendMessage';
const [upsertMany, variable] = ['contactVariable/upsertMany', 'setContactVariable'];

const places: Place[] = [
	['one of four messages', toVk, people, third, [message, message, message, message], 3, 'message/send'],
	['the first test message', aTest, people, nth(1), [message], 0, 'message/send'],
	['a question', question, one, nth(1), [message], 0, 'message/sendAndWait'],
	['a GET', getReferrals, one, nth(1), ['getReferrals'], 0],
	['a POST', postContact, one, nth(1), ['createOrUpdateContact'], 0, 'api/request'],
	['the second variable', setVariables, one, level, [variable, variable], 0, upsertMany],
	['the next page of a search', search, one, nth(2), ['getContacts', 'getContacts'], 0],
	['the tags of a contact', getMany, one, nth(2), ['getContacts', 'getContactTags'], 0],
];

const answered = () => service.requests.flatMap(({ answeredAt }) => answeredAt ?? []);
const isQuiet = (ms: number) => answered().every((moment) => performance.now() - moment > ms);

/** All requests are there, all but the last one are answered, and the node has noticed. */
const waitsFor = (count: number) => () =>
	service.requests.length === count && answered().length === count - 1 && isQuiet(1000);

test.each(modes.flatMap((onError) => places.map((place): [Mode, ...Place] => [onError, ...place])))(
	'%s: Stop ends the wait for %s',
	async (onError, ...[, parameters, items, match, endpoints, done, unknown]: Place) => {
		service.dialect.with = 'ignored';
		service.faults.add({ kind: 'timeout', when: 'before', match });
		const given = { parameters: parameters as INodeParameters, items, node: { onError } };
		const result = await stopWhen(waitsFor(endpoints.length), given);
		expect([result.run.status, result.run.waitTill, asked()]).toEqual(['canceled', undefined, endpoints]);
		const rows = result.outputs.flat();
		const isStop = onError === 'stopWorkflow';
		// n8n recognizes a stopped run by this word.
		const failed = rows.find(({ json }) => String(json.error).includes('canceled'));
		const { message, description } = isStop ? result.error! : failed!.error!;
		expect(message).toBe('The execution was canceled');
		const said = unknown ? ` ${operationOf(unknown).unknown}` : '';
		expect(description!.replace(/^\d[^.]*\. /, '')).toBe(`The request was already in progress.${said}`);
		expect(rows.filter(({ json }) => json.success)).toHaveLength(isStop ? 0 : done);
	},
);

test('Stop ends a look-up of a change, of which nothing is done', async () => {
	service.faults.add({ kind: 'timeout', when: 'before', match: nth(1) });
	const { run: ran, error } = await stopWhen(waitsFor(1), {
		parameters: usual('listItem/upsert'),
		items: one,
	});
	expect([ran.status, error?.message, error?.description ?? '']).toEqual([
		...['canceled', 'The execution was canceled', ''],
	]);
});

test.each([goingOn, apart])('Stop in a try: the next one keeps the doubt: %j', async (node) => {
	service.faults.add({ ...refusal, match: { text: 'Письмо 0' } });
	service.faults.add({ kind: 'timeout', when: 'before', match: third });
	const tries = { ...node, retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };
	const result = await stopWhen(waitsFor(4), { items: people, node: tries });
	const [, left] = result.outputs.flat().filter(({ json }) => !json.success);
	expect(left!.json.message).toContain(operationOf('message/send').unknown);
});

test.each([goingOn, apart])('Stop between two tries keeps what is done: %j', async (node) => {
	service.faults.add({ ...refusal, match: { text: 'Письмо 0' } });
	const tries = { ...node, retryOnFail: true, maxTries: 3, waitBetweenTries: 3000 };
	const options = { items: people.slice(0, 3), node: tries };
	const { ended, stop } = stoppable(async (onStart) => await run({ ...options, onStart }));
	// The first try has ended, and n8n waits longer.
	await until(() => answered().length === 3 && isQuiet(1500));
	stop();
	const done = (await ended).outputs.flat().filter(({ json }) => json.success);
	expect(done.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 2 }]);
});
