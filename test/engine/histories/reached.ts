import { hintsOf } from '../harness';
import { itemOf, itemsInDoubt, requestsOf } from './promises';
import type { Performed, Scene } from './perform';

/*
 * States that occur rarely, and in which promises have been broken. The generated histories must reach each of them. Otherwise, their test
 * says nothing about it.
 */

const some = (is: (run: Performed, scene: Scene) => boolean) => (scene: Scene) =>
	scene.runs.some((run) => is(run, scene));

const rowsOf = ({ results }: Performed) => results[0]!.outputs.flat().map(({ json }) => json);

const says = (text: string) => (run: Performed) =>
	[
		...rowsOf(run).map(({ error }) => error),
		run.results[0]!.error?.message,
		...hintsOf(run.results[0]!),
	].some((said) => String(said).includes(text));

const isSent = ({ success, alreadySent }: Record<string, unknown>) => success === true && !alreadySent;

const statusesOf = (run: Performed, scene: Scene) => requestsOf(scene, run).map(({ status }) => status);

/** A text that a run sends again after a status. */
const isRepeated =
	(...statuses: number[]) =>
	(run: Performed, scene: Scene) => {
		const requests = requestsOf(scene, run);
		return requests.some(
			({ status = 0, input }, index) =>
				statuses.includes(status) && requests.slice(index + 1).some((each) => each.input.text === input.text),
		);
	};

/** Whether claims of recipients are given back: both entries of a recipient are removed in one call. */
const givesBack = ({ store }: Scene) =>
	store.removed.some((entries) =>
		entries.some(
			(entry) => /^sent /.test(String(entry)) && entries.includes(`doubt ${String(entry).slice(5)}`),
		),
	);

const isIn = (ways: Scene['history']['passed'], is: (run: Performed, scene: Scene) => boolean) =>
	some((run, scene) => scene.history.passed === ways && is(run, scene));

/** Each rare state, and whether a history has reached it. */
export const rareStates: Record<string, (scene: Scene) => boolean> = {
	'A refusal by a limit, after which the message is sent': some(isRepeated(429)),
	'A maintenance, after which the message is sent': some(isRepeated(503)),
	'A refusal twice in a row': some(
		(run, scene) => statusesOf(run, scene).filter((status) => status === 429).length > 1,
	),
	'A lost connection, after which other messages are sent': some((run, scene) => {
		const lost = requestsOf(scene, run).findIndex(({ status }) => status === undefined);
		return (
			lost >= 0 &&
			statusesOf(run, scene)
				.slice(lost + 1)
				.includes(200)
		);
	}),
	'Trouble that ends a run before all items are attempted': some(says('Nothing was sent. ')),
	'A refused person among others who get their message': some(
		(run, scene) => statusesOf(run, scene).includes(404) && rowsOf(run).some(isSent),
	),
	'Hours that close with items left': some(
		(run, { closesAt = 0 }) => closesAt > 0 && says('Start the workflow again')(run),
	),
	'Hours that are closed': some((run, { closesAt }) => closesAt === -Infinity && says('Not attempted')(run)),
	'Stop with items left': some(({ stoppedAt, results: [result] }) => {
		const { runData } = result!.run.data.resultData;
		return stoppedAt !== undefined && (runData.Tested === undefined || result!.error !== undefined);
	}),
	'Claims that are given back': givesBack,
	'A run beside another one that skips what the other has sent': ({ history, runs }) =>
		history.second?.kind === 'beside' &&
		runs.some((run) => rowsOf(run).some(({ alreadySent }) => alreadySent)),
	'A process beside another one that skips what the other has sent': ({ history, runs }) =>
		history.second?.kind === 'beside' &&
		history.second.isElsewhere &&
		runs.some((run) => rowsOf(run).some(({ alreadySent }) => alreadySent)),
	'A second run that meets a doubt': ({ runs }) => runs.slice(1).some((run) => itemsInDoubt(run).length > 0),
	'A second run that sends what is missing': ({ history, runs }) =>
		history.second?.kind === 'later' &&
		runs
			.slice(1)
			.some((run) => rowsOf(run).some(isSent) && rowsOf(run).some(({ alreadySent }) => alreadySent)),
	Retry: some(({ results }) => results.length > 1),
	'Retry On Fail after a refusal': some(
		(run, scene) => scene.history.triesAgain && isRepeated(404, 422)(run, scene),
	),
	'A test that sends messages': some(
		(run, { history }) => run.isTest && history.tested! > 0 && !run.results[0]!.error,
	),
	'A test in a loop': isIn('in batches', ({ isTest, batches }) => isTest && batches.length > 1),
	'A test that dies before a run with the same store': ({ history: { tested, diesMs, once }, runs: [run] }) =>
		tested !== null && diesMs !== null && Boolean(once) && rowsOf(run!).some(isSent),
	'A loop of several batches': isIn('in batches', ({ batches }) => batches.length > 2),
	'A batch that would pass Maximum Recipients after others': isIn('in batches', says('With this batch')),
	'A run that would pass Maximum Recipients': some(says('This run has')),
	'Several items, one by one': isIn('one by one', ({ texts }) => texts.length > 1),
	'An item by itself': isIn('by itself', (run) => rowsOf(run).some(isSent)),
	'Two messages to a person one after the other': some((run, { history: { items } }) => {
		const sent = new Set(
			run.results[0]!.outputs.flat()
				.filter(({ json }) => isSent(json))
				.map(itemOf),
		);
		return items.some(
			({ person }, index) => sent.has(index) && sent.has(index + 1) && items[index + 1]!.person === person,
		);
	}),
	'An invalid item in Stop Workflow': some(
		(_, { history: { onError, items } }) => onError === 'stopWorkflow' && items.some(({ wrong }) => wrong),
	),
	'An invalid item beside messages that are sent': some(
		(run, { history: { items } }) => items.some(({ wrong }) => wrong) && rowsOf(run).some(isSent),
	),
};
