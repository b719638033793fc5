import type { RecordedRequest } from '../../../sandbox/emulator';
import { calledOneByOne, inDoubt } from '../../../nodes/ChatbotService/client/failure/failure';
import { operationOf, unknownOf } from '../../operations';
import { hintsOf, type RunResult } from '../harness';
import { countsIn } from '../messages';
import { isAfter } from './standstills';
import type { History } from './history';
import { itemOf, leftAt, type Performed, type Scene } from './perform';
import { brokenByPace } from './promisesOfPace';

/*
 * What the node promises of any run, whatever happens in it. A broken promise is a sentence. Add the promises of a new feature here
 * before the feature.
 */

/** The sentences of the promises that a history has broken. */
export function broken(scene: Scene): string[] {
	const { runs, service } = scene;
	const said = runs.flatMap((run) => [
		...secrets(scene, run),
		...places(scene, run),
		...oneByOne(scene, run),
		...wrongValues(scene, run),
		...stops(scene, run),
		...most(scene, run),
		...doubts(scene, run),
		...(run.isTest ? tried(scene, run) : [...truth(scene, run), ...order(scene, run), ...quiet(scene, run)]),
	]);
	try {
		service.assertContract();
	} catch (error) {
		said.push(String(error));
	}
	return [...said, ...once(scene), ...brokenByPace(scene)];
}

export const requestsOf = ({ service }: Scene, { texts }: Performed) =>
	service.requests.filter(({ input }) => texts.includes(String(input.text)));

const deliveredOf = ({ service }: Scene, { texts }: Performed) =>
	service.deliveries().filter(({ text }) => texts.includes(text!));

/** Whether the answer has certainly arrived: a delay can be longer than the time-out. */
const isAnswered = ({ accepted, faults }: RecordedRequest) =>
	accepted && faults.every((kind) => kind === 'php warning');

function secrets({ service }: Scene, { results }: Performed) {
	const shown = results.flatMap(({ run, error = {} as NonNullable<RunResult['error']> }) => [
		...[JSON.stringify([run, error]), error.message, error.description, error.stack],
	]);
	return shown.some((text) => text?.includes(service.token)) ? ['The token is in the execution data'] : [];
}

/** Each item ends exactly once with its own link, or the run has an error. */
function places({ history, closesAt }: Scene, { results: [result], stoppedAt }: Performed) {
	const { onError, items, passed } = history;
	if (stoppedAt !== undefined || result!.error) {
		if (onError === 'stopWorkflow' || stoppedAt !== undefined) return [];
		return [`The run ended with an error although it continues on errors: ${result!.error?.message}`];
	}
	const ended = result!.outputs.flat().map(itemOf);
	// In stop mode without an error, the hours have ended, and the rest is missing. The hook has no place for a notice.
	const isSaid = hintsOf(result!).join().includes('Start the workflow again');
	const isRest =
		onError === 'stopWorkflow' && (isSaid || (passed === 'by itself' && closesAt[0] !== undefined));
	const isEach = isRest || ended.length === items.length;
	return isEach && new Set(ended).size === ended.length
		? []
		: [`The items that ended are ${ended.join()}, not each of ${items.length} once`];
}

/** Only the person who tries a run gets its messages, and no more than wanted. No item looks as if it was sent. */
function tried(scene: Scene, run: Performed) {
	const { history, service, tester } = scene;
	const requests = requestsOf(scene, run);
	const isOther = (id: number) => id !== tester;
	const others = requests.filter(({ input }) => history.to !== 'number' && isOther(Number(input.contact_id)));
	const said = others.map(({ input }) => `${String(input.text)} left in a test, for somebody else`);
	const wrong = deliveredOf(scene, run).filter(({ contactId }) => isOther(contactId));
	if (wrong.length) said.push(`${wrong.length} recipients got messages of a test`);
	const delivered = service.deliveries().filter(({ contactId }) => contactId === tester).length;
	if (delivered > history.tested!)
		said.push(`${delivered} test messages were delivered instead of ${history.tested}`);
	for (const { json, error } of run.results[0]!.outputs.flat()) {
		const isShown = json.testRun === true && !json.success && typeof json.recipient !== 'undefined';
		if (!isShown && !json.error && !error) said.push(`A test shows ${JSON.stringify(json)}`);
	}
	return said;
}

/** What the node says of an item is what the service knows. */
function truth(scene: Scene, run: Performed) {
	const { history, service } = scene;
	const { texts, results } = run;
	const unknown = unknownOf(operationOf(history.to === 'number' ? 'message/sendToWhatsApp' : 'message/send'));
	const delivered = new Set(deliveredOf(scene, run).map(({ text }) => text));
	const said: string[] = [];
	const [result] = results as [RunResult];
	for (const item of result.outputs.flat()) {
		const { json, error } = item;
		const index = itemOf(item);
		const text = texts[index]!;
		const words = `${JSON.stringify(json)} ${error?.message ?? ''} ${error?.description ?? ''}`;
		const isSuccess = json.error === undefined && error === undefined;
		const isDelivered = delivered.has(text);
		const mayBe = words.includes(unknown) || json.alreadySent === true;
		if (isSuccess && !json.alreadySent && !isDelivered)
			said.push(`${text} is done, but it was not delivered`);
		if (!isSuccess && isDelivered && !mayBe) said.push(`${text} was delivered, but the node says ${words}`);
		if (json.alreadySent && scene.contacts[index] !== undefined) {
			const has = service.deliveries().some(({ contactId }) => contactId === scene.contacts[index]);
			if (!has) said.push(`${text} is skipped, but the person has no message`);
		}
		if (history.includesInput && isSuccess && json.order !== history.items[index]!.order)
			said.push(`The fields of item ${index} are not in its output`);
	}
	return [...said, ...counts(scene, run)];
}

/** The counts in the error of a run that has stopped. In a loop, they are those of a batch. */
function counts(scene: Scene, run: Performed) {
	const { items, once, triesAgain, passed } = scene.history;
	const { results, stoppedAt } = run;
	const [{ error }] = results as [RunResult];
	const [all, done, failed, rest] = countsIn(error?.description) as [number, number, number, number];
	if (!all || stoppedAt !== undefined || passed !== 'at once') return [];
	if (done + failed + rest !== all || all !== items.length) return [`Wrong sum: ${error?.description}`];
	if (once || triesAgain || results.length > 1) return [];
	const requests = requestsOf(scene, run);
	const least = requests.filter(isAnswered).length;
	const most = requests.filter(({ accepted }) => accepted).length;
	const isRight = least <= done && done <= most;
	return isRight ? [] : [`${least} to ${most} were delivered: ${error?.description}`];
}

/** By an engine that calls the node once for each item, nothing leaves if there are several, and the reason is said. */
function oneByOne(scene: Scene, run: Performed) {
	const { passed, items, onError } = scene.history;
	if (passed !== 'one by one' || items.length < 2) return [];
	const [{ error, outputs }] = run.results as [RunResult];
	const errors = error ? [error.message] : outputs.flat().map(({ json }) => String(json.error));
	const said = errors.filter((each) => !each.includes(calledOneByOne().message));
	const expected = onError === 'stopWorkflow' ? 1 : items.length;
	if (errors.length !== expected) said.push(`${errors.length} errors for ${items.length} items`);
	return [...said, ...requestsOf(scene, run).map(({ input }) => `${String(input.text)} left one by one`)];
}

/** No execution writes to more people than it may, and nothing of the batch leaves that would pass the number. */
function most(scene: Scene, run: Performed) {
	const { history } = scene;
	if (!history.most || run.isTest) return [];
	const people = new Set(requestsOf(scene, run).map((request) => recipientOf(scene, request)));
	return people.size > history.most ? [`${people.size} people instead of ${history.most}`] : [];
}

/** The person of an item. Those whom the service does not know have the same ID and number. */
function personOf({ people, items, to }: History, index: number) {
	const { person } = items[index]!;
	const { isKnown, messenger } = people[person]!;
	return isKnown ? person : `unknown${to === 'person' ? ` in ${messenger}` : ''}`;
}

/** The person to whom a request writes, in any run. */
function recipientOf({ history, runs }: Scene, { input }: RecordedRequest) {
	const index = runs.map(({ texts }) => texts.indexOf(String(input.text))).find((place) => place >= 0);
	return index === undefined ? undefined : personOf(history, index);
}

/**
 * Nobody is in doubt to whom nothing was sent. A process does not know how long another one waits for the end of trouble, and Stop can end
 * a request on its way.
 */
function doubts(scene: Scene, run: Performed) {
	const { history, service, runs } = scene;
	const isTrouble = service.requests.some(({ status = 0 }) => status >= 400);
	if (isTrouble && history.second?.kind === 'beside') return [];
	if (runs.some(({ stoppedAt }) => stoppedAt !== undefined)) return [];
	return itemsInDoubt(run).flatMap((index) => {
		const person = personOf(history, index);
		const wasSent = service.requests.some((request) => recipientOf(scene, request) === person);
		return wasSent ? [] : [`Item ${index} is in doubt, but nobody has sent anything`];
	});
}

/** The items that a run has not sent because they may have been sent before. */
export const itemsInDoubt = ({ results }: Performed) =>
	results[0]!.outputs
		.flat()
		.filter(({ json }) => String(json.error).startsWith(inDoubt('', '').message))
		.map(itemOf);

/** Wrong values leave in no mode, and in stop mode they keep everything of their batch back. */
function wrongValues(scene: Scene, run: Performed) {
	const { history } = scene;
	const wrong = history.items.flatMap(({ wrong }, index) => (wrong ? [index] : []));
	if (!wrong.length) return [];
	const from = history.passed === 'in batches' ? wrong[0]! - (wrong[0]! % history.batch) : 0;
	const left = requestsOf(scene, run).map(({ input }) => run.texts.indexOf(String(input.text)));
	const said = left
		.filter((index) => wrong.includes(index))
		.map((index) => `${run.texts[index]} left although its values are wrong`);
	if (history.onError !== 'stopWorkflow') return said;
	const early = left.filter((index) => index >= from);
	if (early.length) said.push(`${early.length} requests left although item ${wrong[0]} is wrong`);
	const { error } = run.results.at(-1)!;
	const isReached = run.batches.at(-1) === from && history.passed !== 'one by one' && !history.most;
	if (isReached && run.stoppedAt === undefined && !error?.message.includes(`[Item ${wrong[0]! - from}]`))
		said.push(`The error does not name item ${wrong[0]}: ${error?.message}`);
	return said;
}

/** Nothing leaves after Stop, or after a failure in stop mode. */
function stops(scene: Scene, run: Performed) {
	const { onError, triesAgain } = scene.history;
	const { retriedAt = Infinity } = run;
	const requests = requestsOf(scene, run).filter((request) => leftAt(request) < retriedAt);
	const after = (moment: number, what: string) =>
		requests
			.filter((request) => isAfter(leftAt(request), moment))
			.map((request) => `${String(request.input.text)} left ${leftAt(request) - moment} ms after ${what}`);
	const said = run.stoppedAt === undefined ? [] : after(run.stoppedAt, 'Stop');
	const refused = requests.filter(({ status = 0 }) => status === 404 || status === 422);
	if (onError === 'stopWorkflow' && !triesAgain && refused.length)
		said.push(...after(Math.min(...refused.map(({ answeredAt }) => answeredAt!)), 'a refusal'));
	return said;
}

/** Messages to the same person arrive in the order of the items. */
function order(scene: Scene, run: Performed) {
	// A second try sends what is missing after what was sent.
	if (scene.history.triesAgain || run.results.length > 1) return [];
	const latest = new Map<number, number>();
	return deliveredOf(scene, run).flatMap(({ contactId, text }) => {
		const [before = -1, place] = [latest.get(contactId), run.texts.indexOf(text!)];
		latest.set(contactId, place);
		return before < place ? [] : [`One person got item ${place} after item ${before}`];
	});
}

/** If each item is simply done and the service has refused nothing, nothing is said. */
function quiet({ history, service }: Scene, { results }: Performed) {
	const [result] = results as [RunResult];
	const done = result.json.filter(({ success, alreadySent }) => success === true && !alreadySent);
	const isRefused = service.requests.some(({ status = 200 }) => status >= 400);
	const isQuiet = done.length === history.items.length && !isRefused;
	return isQuiet ? hintsOf(result).map((hint) => `Nothing was to be said: ${hint}`) : [];
}

/** Nobody gets two messages under one value of 'Send Once Per', and no text arrives twice. */
function once({ history, contacts, runs, service, tester }: Scene) {
	const times = new Map<string, number>();
	const count = (key: string) => times.set(key, (times.get(key) ?? 0) + 1);
	for (const { text, contactId } of service.deliveries()) {
		if (contactId === tester) continue;
		count(text!);
		const index = runs.map(({ texts }) => texts.indexOf(text!)).find((place) => place >= 0);
		if (index === undefined || (contacts[index] !== contactId && history.to !== 'number'))
			times.set(`${text} for the wrong person`, 2);
		else if (history.once)
			count(`${history.once === 'осень' ? '' : history.items[index]!.order} ${contactId}`);
	}
	return [...times].filter(([, many]) => many > 1).map(([what, many]) => `${what}: ${many} messages`);
}
