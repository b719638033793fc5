import {
	NodeApiError,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type ILoadOptionsFunctions,
	type INodeExecutionData,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

/*
 * Loads what runs (runtime.ts) apart from what describes the node, and says what happened if that fails: the package is incomplete, or
 * was updated while n8n was running. In the continue modes, n8n takes whatever a node throws for success, and if the page of a question
 * throws, the workflow goes on. This file needs no other one, because others may be of another version.
 */

type Runtime = typeof import('./runtime');

/** The build of a file of the package. Tests run the sources, which have none. */
declare const packageBuild: string | undefined;

const load = async (): Promise<Runtime> => {
	const runtime: Runtime = await import('./runtime');
	if (typeof packageBuild === 'string' && runtime.build !== packageBuild)
		throw new Error(`The files of the package are of different versions`);
	return runtime;
};

// As soon as n8n has read the package, so that an update of the package does not change what this process runs.
load().catch(() => {});

export const broken =
	'Nothing was sent. The package is incomplete or was updated: restart n8n, or install it again';

type Run = IExecuteFunctions | IExecutePaginationFunctions;
type Broken = (n8n: never, error: unknown) => unknown;

const failure = (n8n: Run | ILoadOptionsFunctions, error: unknown) =>
	new NodeApiError(n8n.getNode(), {}, { message: broken, description: String(error) });

function failed(n8n: Run, count: number, error: unknown): INodeExecutionData[] {
	const { type, onError } = n8n.getNode();
	const isForModel = type.endsWith('Tool') && onError !== 'stopWorkflow';
	if (!n8n.continueOnFail() && !isForModel) throw failure(n8n, error);
	return Array.from({ length: count }, (_, item) => ({ json: { error: broken }, pairedItem: { item } }));
}

/** What each caller gets if the runtime cannot be loaded. */
export const brokenRun = (n8n: IExecuteFunctions, error: unknown) => [
	failed(n8n, n8n.getInputData().length, error),
];

export const brokenItem = (n8n: IExecutePaginationFunctions, error: unknown) => failed(n8n, 1, error);

export const brokenList = (n8n: ILoadOptionsFunctions, error: unknown): never => {
	throw failure(n8n, error);
};

/** A person reads the page, not the user of n8n. */
export function brokenPage(n8n: IWebhookFunctions): IWebhookResponseData {
	const html = `<!doctype html><meta charset="utf-8"><title>This page cannot be shown</title><p>Your answer was not received. Open the link again later.<p lang="ru">Ответ не получен. Откройте ссылку позже.<p>n8n: ${broken}.`;
	n8n.getResponseObject().status(500).set({ 'Content-Type': 'text/html; charset=utf-8' }).send(html);
	// Without data, the execution continues to wait.
	return { noWebhookResponse: true };
}

/** A function of runtime.ts. @param otherwise what happens if it cannot be called */
export const later = <Name extends Exclude<keyof Runtime, 'build'>>(name: Name, otherwise: Broken) =>
	async function (this: unknown, ...values: unknown[]) {
		let runtime: Runtime;
		try {
			runtime = await load();
			if (typeof runtime[name] !== 'function') throw new Error(`The package lacks '${name}'`);
		} catch (error) {
			return otherwise(this as never, error);
		}
		return await Reflect.apply(runtime[name], this, values);
	} as Runtime[Name];
