import {
	NodeApiError,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type ILoadOptionsFunctions,
	type INodeExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';

/*
 * Loads what runs (runtime.ts) apart from what describes the node, and says what happened if that fails: the package is incomplete, or
 * was updated while n8n was running. In the continue modes, n8n takes whatever a node throws for success, and if the page of a question
 * throws, the workflow goes on. This file needs no other one, because others may be of another version.
 */

type Runtime = typeof import('./runtime');

/** Which build of the package a file belongs to. Tests run the sources, which have none. */
declare const packageBuild: string | undefined;

/** Kept, because an update of the package must not change what a node of the old version runs. */
let loaded: Runtime | undefined;

async function load(): Promise<Runtime> {
	const runtime: Runtime = loaded ?? (await import('./runtime'));
	if (typeof packageBuild === 'string' && runtime.build !== packageBuild)
		throw new Error('The files of the package are of different versions');
	return (loaded = runtime);
}

// As soon as n8n has read the package, while its files are of one version.
load().catch(() => {});

export const broken =
	'Nothing was sent. The package is incomplete or was updated: restart n8n, or install it again';

type Run = IExecuteFunctions | IExecutePaginationFunctions;

function refuse(n8n: Run | ILoadOptionsFunctions, error: unknown): never {
	throw new NodeApiError(n8n.getNode(), {}, { message: broken, description: String(error) });
}

function failed(n8n: Run, error: unknown, items: number[]): INodeExecutionData[] {
	const { type, onError } = n8n.getNode();
	const isForModel = type.endsWith('Tool') && onError !== 'stopWorkflow';
	if (!n8n.continueOnFail() && !isForModel) refuse(n8n, error);
	return items.map((item) => ({ json: { error: broken }, pairedItem: { item } }));
}

/** A person reads the page, not the user of n8n. Without data, the execution continues to wait. */
function closedPage(n8n: IWebhookFunctions) {
	const html = `<!doctype html><meta charset="utf-8"><title>This page cannot be shown</title><p>Your answer was not received. Open the link again later.<p lang="ru">Ответ не получен. Откройте ссылку позже.<p>n8n: ${broken}.`;
	const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
	n8n.getResponseObject().status(500).set(headers).send(html);
	return { noWebhookResponse: true };
}

/** What each caller gets if the runtime cannot be used. */
export const otherwise = {
	run: (n8n: IExecuteFunctions, error: unknown) => [failed(n8n, error, [...n8n.getInputData().keys()])],
	item: (n8n: IExecutePaginationFunctions, error: unknown) => failed(n8n, error, [n8n.getItemIndex()]),
	list: refuse,
	page: closedPage,
};

/** A function of runtime.ts. @param caller who calls it */
export const later = <Name extends Exclude<keyof Runtime, 'build'>>(
	name: Name,
	caller: keyof typeof otherwise = 'list',
) =>
	async function (this: unknown, ...values: unknown[]) {
		const runtime: unknown = await load().catch((error: unknown) => error);
		const found = (runtime as Partial<Runtime> | undefined)?.[name];
		if (typeof found !== 'function') return otherwise[caller](this as never, runtime);
		return await Reflect.apply(found, this, values);
	} as Runtime[Name];
