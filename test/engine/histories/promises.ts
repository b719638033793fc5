import type { INodeExecutionData } from 'n8n-workflow';

import type { RecordedRequest } from '../../../sandbox/emulator';
import { operationOf, unknownOf } from '../../operations';
import { hintsOf, type RunResult } from '../harness';
import { countsIn } from '../messages';
import { isAfter } from './fastTime';
import { leftAt, type Performed, type Scene } from './perform';

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
		...wrongValues(scene, run),
		...stops(scene, run),
		...(run.isTest ? tried(scene, run) : [...truth(scene, run), ...order(scene, run), ...quiet(scene, run)]),
	]);
	try {
		service.assertContract();
	} catch (error) {
		said.push(String(error));
	}
	return [...said, ...once(scene), ...hours(scene), ...limits(scene), ...waits(scene)];
}

const requestsOf = ({ service }: Scene, { texts }: Performed) =>
	service.requests.filter(({ input }) => texts.includes(String(input.text)));

const deliveredOf = ({ service }: Scene, { texts }: Performed) =>
	service.deliveries().filter(({ text }) => texts.includes(text!));

/** Whether the answer has certainly arrived: a delay can be longer than the time-out. */
const isAnswered = ({ accepted, faults }: RecordedRequest) =>
	accepted && faults.every((kind) => kind === 'php warning');

const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

function secrets({ service }: Scene, { results }: Performed) {
	const shown = results.flatMap(({ run, error }) => [
		JSON.stringify(run),
		...[error?.message, error?.description, error?.stack, JSON.stringify(error)],
	]);
	return shown.some((text) => text?.includes(service.token)) ? ['The token is in the execution data'] : [];
}

/** Each item ends exactly once with its own link, or the run has an error. */
function places({ history: { onError, items } }: Scene, { results: [result], stoppedAt }: Performed) {
	if (stoppedAt !== undefined || result!.error) {
		if (onError === 'stopWorkflow' || stoppedAt !== undefined) return [];
		return [`The run ended with an error although it continues on errors: ${result!.error?.message}`];
	}
	const ended = result!.outputs.flat().map(itemOf);
	// In stop mode without an error, the hours have ended, and the rest is missing.
	const isRest = onError === 'stopWorkflow' && hintsOf(result!).join().includes('Start the workflow again');
	const expected = items.map((_, index) => index);
	const isRight = isRest
		? new Set(ended).size === ended.length
		: JSON.stringify([...ended].sort((a, b) => a - b)) === JSON.stringify(expected);
	return isRight ? [] : [`The items that ended are ${ended.join()}, not each of ${items.length} once`];
}

/** Only the person who tries a run gets its messages, and no more than wanted. No item looks as if it was sent. */
function tried(scene: Scene, run: Performed) {
	const { history, service, tester } = scene;
	const requests = requestsOf(scene, run);
	const others = requests.filter(
		({ input }) => history.to !== 'number' && Number(input.contact_id) !== tester,
	);
	const said = others.map(({ input }) => `${String(input.text)} left in a test, for somebody else`);
	const wrong = deliveredOf(scene, run).filter(({ contactId }) => contactId !== tester);
	if (wrong.length) said.push(`${wrong.length} recipients got messages of a test`);
	const most = history.tested! * (1 + Number(history.triesAgain)) * run.results.length;
	const delivered = service.deliveries().filter(({ contactId }) => contactId === tester).length;
	if (delivered > most) said.push(`${delivered} test messages were delivered instead of ${history.tested}`);
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

/** The counts in the error of a run that has stopped. */
function counts(scene: Scene, run: Performed) {
	const { items, once, triesAgain } = scene.history;
	const { results, stoppedAt } = run;
	const [{ error }] = results as [RunResult];
	const [all, done, failed, rest] = countsIn(error?.description) as [number, number, number, number];
	if (!all || stoppedAt !== undefined) return [];
	const said =
		done + failed + rest === all && all === items.length ? [] : [`Wrong sum: ${error?.description}`];
	if (once || triesAgain || results.length > 1) return said;
	const requests = requestsOf(scene, run);
	const least = requests.filter(isAnswered).length;
	const most = requests.filter(({ accepted }) => accepted).length;
	return least <= done && done <= most
		? said
		: [...said, `${least} to ${most} were delivered: ${error?.description}`];
}

/** Wrong values leave in no mode, and in stop mode they keep everything back. */
function wrongValues(scene: Scene, run: Performed) {
	const { history } = scene;
	const wrong = history.items.flatMap(({ wrong }, index) => (wrong ? [index] : []));
	const requests = requestsOf(scene, run);
	if (!wrong.length) return [];
	const left = requests.filter(({ input }) => wrong.some((index) => run.texts[index] === input.text));
	const said = left.map(({ input }) => `${String(input.text)} left although its values are wrong`);
	if (history.onError !== 'stopWorkflow') return said;
	if (requests.length) said.push(`${requests.length} requests left although item ${wrong[0]} is wrong`);
	const { error } = run.results.at(-1)!;
	if (
		run.stoppedAt === undefined &&
		scene.closesAt === undefined &&
		!error?.message.includes(`[Item ${wrong[0]}]`)
	)
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
	const letters = deliveredOf(scene, run);
	return [...new Set(letters.map(({ contactId }) => contactId))].flatMap((person) => {
		const theirs = letters.filter(({ contactId }) => contactId === person);
		const places = theirs.map(({ text }) => run.texts.indexOf(text!));
		const isRight = places.every((place, index) => index === 0 || places[index - 1]! < place);
		// A second try sends what is missing after what was sent.
		return isRight || scene.history.triesAgain || run.results.length > 1
			? []
			: [`One person got the items ${places.join()}`];
	});
}

/** If each item is simply done and the service has refused nothing, nothing is said. */
function quiet({ history, service }: Scene, { results }: Performed) {
	const [result] = results as [RunResult];
	const done = result.json.filter(({ success, alreadySent }) => success === true && !alreadySent);
	const isRefused = service.requests.some(({ status = 200 }) => status >= 400);
	const hints = hintsOf(result);
	return done.length < history.items.length || isRefused || !hints.length
		? []
		: [`Nothing was to be said: ${hints.join()}`];
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

function hours(scene: Scene) {
	const { service, closesAt, runs } = scene;
	if (closesAt === undefined) return [];
	const tests = runs.filter(({ isTest }) => isTest).flatMap((run) => requestsOf(scene, run));
	const late = service.requests.filter(
		(request) => !tests.includes(request) && isAfter(leftAt(request), closesAt),
	);
	return late.map(({ input }) => `${String(input.text)} left outside the hours`);
}

/** What may pass a limit because this process was busy: the end of a window, and some requests. */
const share = { ofWindow: 0.2, ofRequests: 0.15 };

/** At most so many requests in so many milliseconds. */
const documented: Record<string, [count: number, windowMs: number]> = {
	...{ whatsapp: [1, 10_000], telegram: [10, 10_000], viber: [10, 10_000], max: [10, 10_000] },
	number: [1, 1000],
};

/**
 * Whether a request comes as far as a limit. One that a fault or the limit of the account has refused before is sent again when the answer
 * allows it.
 */
const reaches = (name: string, { status, refusedBy }: RecordedRequest) =>
	status !== 429 || (refusedBy !== undefined && (name === 'the account' || refusedBy !== 'account'));

/** No window of a limit sees more requests than it may, and at most ten are in progress. */
function limits({ history, service }: Scene) {
	const { faults, knowsMessenger, to, pace } = history;
	const { requests, inFlight, data } = service;
	const isSlow = faults.some(({ kind }) => kind === 'timeout' || kind === 'delay');
	// One or two connections may still be closing.
	const said = !isSlow && inFlight.peak > 12 ? [`${inFlight.peak} requests were in progress`] : [];
	const passes = (name: string, [count, windowMs]: [number, number], of: RecordedRequest[]) => {
		const reaching = of.filter((each) => reaches(name, each));
		const times = reaching.map(leftAt).sort((a, b) => a - b);
		const early = times.filter(
			(time, index) => times[index + count]! - time < windowMs * (1 - share.ofWindow),
		);
		if (early.length > 2 + reaching.length * share.ofRequests)
			said.push(`${early.length} of ${reaching.length} requests passed the limit of ${name}`);
	};
	if (pace) passes('the account', [pace, 1000], requests);
	for (const [name, limit] of Object.entries(documented)) {
		const messengerOf = ({ input }: RecordedRequest) =>
			to === 'number' ? to : (input.messenger ?? data.contacts.get(Number(input.contact_id))?.messenger);
		if (knowsMessenger || to !== 'contact')
			passes(
				name,
				limit,
				requests.filter((each) => messengerOf(each) === name),
			);
	}
	return said;
}

/** The shortest wait after a refusal by a limit, without what a timer of the fast time may be early. */
const shortestWaitMs = 900;

/** What a limit has refused is sent again after a wait. Another try of the node is another sender, which asks once at once. */
function waits({ history, service, runs }: Scene) {
	if (history.triesAgain || runs.some(({ results }) => results.length > 1)) return [];
	const { requests } = service;
	const hurried = requests.filter(({ status, answeredAt, input }, index) => {
		const again = requests.slice(index + 1).find((each) => each.input.text === input.text);
		return status === 429 && again && leftAt(again) < answeredAt! + shortestWaitMs;
	});
	return hurried.map(({ input }) => `${String(input.text)} left again at once after a refusal`);
}
