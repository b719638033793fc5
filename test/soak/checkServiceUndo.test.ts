/** `npm run check:service -- --write` removes what it has made, whatever interrupts it, and lists what it cannot remove. */

import type { Fault } from '../../sandbox/emulator';
import { Writer } from '../../tools/checkService/change';
import { Session } from '../../tools/checkService/session';
import { Undo } from '../../tools/checkService/undo';
import { write } from '../../tools/checkService/writing';
import { writeContact } from '../../tools/checkService/writingContact';
import { useEmulator } from '../contract/client';
import { allowed, runCheck } from '../contract/serviceCheck';

const service = useEmulator();
const contact = { id: 5001, botId: 101, message: false };

beforeEach(() => prepare());

/** Few lists, so that a list of them has one page, and a tag that the bot does not have is created. */
function prepare() {
	service.reset();
	const { listSchemas, listItems } = service.data;
	for (const id of [...listSchemas.keys()].slice(3)) listSchemas.delete(id);
	for (const { id, schemaId } of listItems.values()) if (!listSchemas.has(schemaId)) listItems.delete(id);
	service.dialect.newTag = 'created';
}

const stored = () => {
	const { contacts, listSchemas, listItems } = service.data;
	return JSON.stringify([...contacts.values(), ...listSchemas.values(), ...listItems.values()]);
};

type Part = 'list' | 'contact';

/** Writes a part, and removes what it has made. @param signal interrupts it */
async function writePart(part: Part, signal = new AbortController().signal) {
	const credential = { baseUrl: service.url, token: service.token, requestsPerSecond: 0 };
	const session = new Session({ credential, signal, sleep: async () => {} });
	const undo = new Undo(session);
	if (part === 'list') await write(session, undo, { limit: false }).catch(() => {});
	else {
		await writeContact(new Writer(session, undo), contact, 'n8n check').catch(() => {});
		await undo.removeAll();
	}
	return undo.remaining;
}

/** What is not as before must be listed. The API deletes no tag of a bot. */
async function expectCleanAfter(work: () => ReturnType<typeof writePart>, circumstances: object) {
	const before = stored();
	const tags = new Set(service.data.bots.get(contact.botId)!.tags);
	const left = await work();
	const isClean = stored() === before;
	const ofBot = service.data.bots.get(contact.botId)!.tags.filter((tag) => !tags.has(tag));
	const listed = left.filter(({ what }) => what === 'tag of a bot').map(({ name }) => name);
	const isListed = ofBot.every((tag) => listed.includes(tag));
	const expected = { ...circumstances, isClean: true, isListed: true };
	expect({ ...circumstances, isClean, isListed }).toEqual(expected);
}

/** The operations of the requests of an undisturbed run, in their order. */
async function stepsOf(part: Part) {
	prepare();
	await writePart(part);
	return service.requests.map(({ operation }) => operation!);
}

test.each<[Part, number]>([
	['list', 9],
	['contact', 6],
])(
	'Interrupted during any request about a %s, it leaves nothing behind that it does not list',
	async (part, operations) => {
		const steps = await stepsOf(part);
		expect(new Set(steps).size).toBeGreaterThanOrEqual(operations);
		for (const [index, step] of steps.entries()) {
			prepare();
			const controller = new AbortController();
			const where = () => {
				if (service.requests.length === index + 1) controller.abort();
				return false;
			};
			service.faults.add({ kind: 'delay', ms: 0, match: { where } });
			await expectCleanAfter(async () => await writePart(part, controller.signal), { step, index });
		}
	},
);

const failures: Array<[string, Fault]> = [
	['is done and fails', { kind: 'server error', when: 'after' }],
	['is refused', { kind: 'answer', status: 403, body: { message: 'This action is unauthorized.' } }],
	['has no answer', { kind: 'reset', when: 'after' }],
];

test.each<Part>(['list', 'contact'])(
	'If any request about a %s fails, it leaves nothing behind that it does not list',
	async (part) => {
		const steps = await stepsOf(part);
		const indexes = [...steps.keys()];
		const decisive = indexes.filter((index) => /^(create|set|attach|delete|detach)/.test(steps[index]!));
		// What fails otherwise does not end the run, so that several can fail in one.
		const apart = 12;
		const others = indexes.filter((index) => !decisive.includes(index));
		const groups = Array.from({ length: apart }, (_, group) =>
			others.filter((_each, at) => at % apart === group),
		);
		for (const [kind, [how, fault]] of failures.entries())
			for (const failing of [
				...decisive.map((index) => [index]),
				...groups.filter((_, group) => group % failures.length === kind),
			]) {
				prepare();
				service.faults.add({
					...fault,
					match: { where: () => failing.includes(service.requests.length - 1) },
				});
				const step = failing.map((index) => steps[index]);
				await expectCleanAfter(async () => await writePart(part), { step, failing, how });
			}
	},
);

test('It lists what it cannot remove with its name for the person, and without it in the report', async () => {
	const refused = (path: string): Fault => ({
		kind: 'answer',
		status: 403,
		body: { message: 'Forbidden' },
		match: { path },
	});
	for (const path of ['deleteListSchema', 'deleteContactVariable']) service.faults.add(refused(path));
	const { report, said } = await runCheck(service, allowed);
	const [name] = /n8n check [\da-f]{12}/.exec([...service.data.listSchemas.values()].at(-1)!.name)!;
	for (const what of ['list', 'variable of a contact', 'tag of a bot']) {
		expect(said).toContain(`- ${what}: "${name}"`);
		expect(report).toMatch(new RegExp(`Left behind: .*1 ${what}`));
	}
	expect(report).not.toContain(name);
});

test('Interrupted at a question, it asks nothing more and ends; interrupted later, it prints the report so far', async () => {
	const atQuestion = new AbortController();
	atQuestion.abort();
	const before = await runCheck(service, allowed, { signal: atQuestion.signal });
	expect([before.error?.message, service.requests]).toEqual(['The check was interrupted.', []]);
	const controller = new AbortController();
	service.faults.add({
		kind: 'delay',
		ms: 0,
		match: { path: 'createListSchema', where: () => (controller.abort(), false) },
	});
	const { report, error } = await runCheck(service, allowed, { signal: controller.signal });
	expect(error).toBeUndefined();
	expect(report).toMatch(/The check was interrupted.*createListSchema, status 200/s);
});
