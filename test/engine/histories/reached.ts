import type { INodeExecutionData } from 'n8n-workflow';

import type { RecordedRequest } from '../../../sandbox/emulator';
import { hintsOf, type RunResult } from '../harness';
import { itemsInDoubt, requestsOf } from './promises';
import { itemOf, type Performed, type Scene } from './perform';

/*
 * States that occur rarely, and in which promises have been broken. The generated histories must reach each of them. Otherwise, their test
 * says nothing about it.
 */

type State = (run: Performed, scene: Scene) => boolean;

const some = (is: State) => (scene: Scene) => scene.runs.some((run) => is(run, scene));

const isIn = (ways: Scene['history']['passed'], is: State) =>
	some((run, scene) => scene.history.passed === ways && is(run, scene));

const itemsOf = ({ results }: Performed) => results[0]!.outputs.flat();

const says = (text: string) => (run: Performed) => {
	const [{ error }] = run.results as [RunResult];
	const said = [...itemsOf(run).map(({ json }) => json.error), error?.message, ...hintsOf(run.results[0]!)];
	return said.some((each) => String(each).includes(text));
};

const sends = (run: Performed) => itemsOf(run).some(isSent);
const isSent = ({ json: { success, alreadySent } }: INodeExecutionData) => success === true && !alreadySent;
const skips = (run: Performed) => itemsOf(run).some(({ json }) => json.alreadySent);

const statusesOf = (run: Performed, scene: Scene) => requestsOf(scene, run).map(({ status }) => status);

/** A text that a run sends again after a status. */
const repeats =
	(...statuses: number[]): State =>
	(run, scene) => {
		const texts = (all: RecordedRequest[]) => all.map(({ input }) => input.text);
		return requestsOf(scene, run).some(
			({ status = 0, input }, index, all) =>
				statuses.includes(status) && texts(all.slice(index + 1)).includes(input.text),
		);
	};

/** Whether claims of recipients are given back: both entries of a recipient are removed in one call. */
const givesBack = ({ store }: Scene) =>
	store.removed.some((entries) =>
		entries.some(
			(entry) => /^sent /.test(String(entry)) && entries.includes(`doubt ${String(entry).slice(5)}`),
		),
	);

/** Each rare state, and whether a history has reached it. */
export const rareStates: Record<string, (scene: Scene) => boolean> = {
	'A refusal by a limit, after which the message is sent': some(repeats(429)),
	'A maintenance, after which the message is sent': some(repeats(503)),
	'A refusal twice in a row': some(
		(run, scene) => statusesOf(run, scene).filter((status) => status === 429).length > 1,
	),
	'A lost connection, after which other messages are sent': some((run, scene) => {
		const statuses = statusesOf(run, scene);
		return statuses.includes(undefined) && statuses.lastIndexOf(200) > statuses.indexOf(undefined);
	}),
	'Trouble that ends a run before all items are attempted': some(says('Nothing was sent. ')),
	'A refused person among others who get their message': some(
		(run, scene) => statusesOf(run, scene).includes(404) && sends(run),
	),
	'Hours that close with items left': some(
		(run, { closesAt }) => closesAt.some((at = 0) => at > 0) && says('it is night until')(run),
	),
	'Hours that are closed': some(
		(run, { closesAt }) => closesAt.every((at) => at === -Infinity) && says('Not attempted')(run),
	),
	'Hours that are closed for some, while others get their message': some(
		(run, { closesAt }) => closesAt.includes(-Infinity) && sends(run) && says('it is night until')(run),
	),
	'Stop with items left': some(({ stoppedAt, results: [result] }) => {
		const { runData } = result!.run.data.resultData;
		return stoppedAt !== undefined && (runData.Tested === undefined || result!.error !== undefined);
	}),
	'Claims that are given back': givesBack,
	'A run beside another one that skips what the other has sent': some(
		(run, { history: { second } }) => second?.kind === 'beside' && skips(run),
	),
	'A process beside another one that skips what the other has sent': some(
		(run, { history: { second } }) => second?.kind === 'beside' && second.isElsewhere && skips(run),
	),
	'A second run that meets a doubt': ({ runs }) => runs.slice(1).some((run) => itemsInDoubt(run).length > 0),
	'A second run that sends what is missing': ({ history, runs }) =>
		history.second?.kind === 'later' && runs.slice(1).some((run) => sends(run) && skips(run)),
	Retry: some(({ results }) => results.length > 1),
	'Retry On Fail after a refusal': some(
		(run, scene) => scene.history.triesAgain && repeats(404, 422)(run, scene),
	),
	'A test that sends messages': some(
		(run, { history }) => run.isTest && history.tested! > 0 && !run.results[0]!.error,
	),
	'A test in a loop': isIn('in batches', ({ isTest, batches }) => isTest && batches.length > 1),
	'A test that dies before a run with the same store': ({ history: { tested, diesMs, once }, runs: [run] }) =>
		tested !== null && diesMs !== null && Boolean(once) && sends(run!),
	'A loop of several batches': isIn('in batches', ({ batches }) => batches.length > 2),
	'A batch that would pass Maximum Recipients after others': isIn('in batches', says('With this batch')),
	'A run that would pass Maximum Recipients': some(says('This run has')),
	'Several items, one by one': isIn('one by one', ({ texts }) => texts.length > 1),
	'An item by itself': isIn('by itself', sends),
	'Two messages to a person one after the other': some((run, { history: { items } }) => {
		const sent = itemsOf(run).filter(isSent).map(itemOf);
		const isNext = (item: number) => items[item + 1]?.person === items[item]!.person;
		return sent.some((item) => isNext(item) && sent.includes(item + 1));
	}),
	'An invalid item in Stop Workflow': some(
		(_, { history: { onError, items } }) => onError === 'stopWorkflow' && items.some(({ wrong }) => wrong),
	),
	'An invalid item beside messages that are sent': some(
		(run, { history: { items } }) => items.some(({ wrong }) => wrong) && sends(run),
	),
};
