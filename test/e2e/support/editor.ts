import { type Complaint, type Editor, type NodeDetails, openEditor } from '../editor';
import { type OurNode, ourNode, packageName, until, workflowOver } from '../../../sandbox/host';
import { type Bench, openBench } from './bench';

/** The n8n that all files share, with its editor open in a browser. */
export interface EditorBench extends Bench {
	editor: Editor;
}

export async function openEditorBench(open: () => Promise<Bench> = openBench): Promise<EditorBench> {
	const bench = await open();
	try {
		const editor = await openEditor(bench.host.url);
		const stop = async () => {
			await editor.close();
			await bench.stop();
		};
		return { ...bench, editor, stop };
	} catch (error) {
		await bench.stop();
		throw error;
	}
}

/** Opens a node in a new workflow, in which it gets these items. */
export async function openOver(
	{ api, editor, credential }: EditorBench,
	items: object[],
	step: OurNode,
): Promise<NodeDetails> {
	const { id } = await api.createWorkflow(workflowOver(step.name, items, ourNode(step, credential)));
	await editor.openWorkflow(id);
	return await editor.openNode(step.name);
}

/** The errors that the browser logged, except for those that have nothing to do with the package. */
export function complaintsOf({ complaints, outside }: Editor): Complaint[] {
	// The node panel queries the npm registry about every community package whose details it shows.
	expect(outside.filter((url) => !url.endsWith(`/${packageName}`))).toEqual([]);
	// The editor requests previews of the output of n8n's own nodes, and n8n does not have all of them.
	return complaints.filter(({ source }) => !source.includes('/schemas/n8n-nodes-base.'));
}

/** Repeats assertions until they hold; after a minute they fail. */
export async function eventually(assertions: () => Promise<void>): Promise<void> {
	let failure: unknown;
	const hold = async () => {
		failure = await assertions().catch((error: unknown) => error);
		return failure === undefined;
	};
	await until(hold).catch(() => Promise.reject(failure));
}
