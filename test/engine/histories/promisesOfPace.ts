import type { RecordedRequest } from '../../../sandbox/emulator';
import { isAfter } from './standstills';
import { itemOf, leftAt, type Scene } from './perform';

/* What the node promises of the moments at which requests leave. */

/** The sentences of the promises that a history has broken. */
export const brokenByPace = (scene: Scene): string[] => [...hours(scene), ...limits(scene), ...waits(scene)];

/** No message leaves outside the hours of its recipient, and nobody waits for hours that are open. */
function hours({ service, closesAt, history, runs }: Scene) {
	const indexOf = (text: string) => Number(/-(\d+)\.$/.exec(text)?.[1]);
	// The person who tries a run is not protected by the hours.
	const isTest = (text: string) => history.tested !== null && text.startsWith('Письмо А');
	const early = service.requests
		.map((request) => ({ text: String(request.input.text), at: leftAt(request) }))
		.filter(({ text, at }) => !isTest(text) && isAfter(at, closesAt[indexOf(text)] ?? Infinity))
		.map(({ text }) => `${text} left outside the hours`);
	const items = runs.flatMap(({ results }) => results[0]!.outputs.flat());
	const late = items.filter(({ json }) => String(json.error).startsWith('Not attempted: '));
	const wrong = late.map(itemOf).filter((index) => closesAt[index] === undefined);
	return [...early, ...wrong.map((index) => `Item ${index} was not attempted, although its hours are open`)];
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
	const { faults, knowsMessenger, to, pace, second } = history;
	const { requests, inFlight, data } = service;
	// Two processes, which do not know each other's requests, can exceed a limit by one.
	if (second?.kind === 'beside' && second.isElsewhere) return [];
	const isSlow = faults.some(({ kind }) => kind === 'timeout' || kind === 'delay');
	// One or two connections may still be closing.
	const said = !isSlow && inFlight.peak > 12 ? [`${inFlight.peak} requests were in progress`] : [];
	const passes = (name: string, [count, windowMs]: [number, number], of: RecordedRequest[]) => {
		const reaching = of.filter((each) => reaches(name, each));
		const times = reaching.map(leftAt).sort((a, b) => a - b);
		const shortest = windowMs * (1 - share.ofWindow);
		const early = times.filter((time, index) => times[index + count]! - time < shortest);
		if (early.length > 2 + reaching.length * share.ofRequests)
			said.push(`${early.length} of ${reaching.length} requests passed the limit of ${name}`);
	};
	if (pace) passes('the account', [pace, 1000], requests);
	if (to === 'contact' && !knowsMessenger) return said;
	const limitOf = ({ input }: RecordedRequest) =>
		to === 'number' ? to : (input.messenger ?? data.contacts.get(Number(input.contact_id))?.messenger);
	for (const [name, limit] of Object.entries(documented)) {
		const theirs = requests.filter((each) => limitOf(each) === name);
		passes(name, limit, theirs);
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
