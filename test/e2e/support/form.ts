import { ownConnection, poll, until } from '../../../sandbox/host';

/** A page of a form after the first, and its execution. */
export interface FormPage {
	executionId: string;
	url: string;
	title: string;
	message: string;
}

/** The value of a field; an array for checkboxes. */
type FieldValue = string | string[] | File;

/** Needed because a form may refuse clients that are not browsers. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const headers = { ...ownConnection, 'user-agent': userAgent };

/** Waits until the form of a workflow that was just activated is available. */
export async function untilFormIsThere(url: string): Promise<void> {
	await until(async () => (await fetch(url, { headers })).ok);
}

/**
 * Submits a form like its page.
 *
 * @param values of the fields, in their order
 * @returns the next page
 */
export async function openForm(url: string, values: FieldValue[]): Promise<FormPage> {
	const submitted = await fetch(url, { method: 'POST', headers, body: bodyOf(values) });
	const { formWaitingUrl } = (await submitted.json()) as { formWaitingUrl: string };
	return await waitingPage(formWaitingUrl);
}

/** Submits another page of a form. @returns the next page */
export async function submitPage({ url, title }: FormPage, values: FieldValue[]): Promise<FormPage> {
	await fetch(url, { method: 'POST', headers, body: bodyOf(values) });
	return await waitingPage(url, title);
}

/** Submits a form, and continues to the last page. */
export async function submitForm(url: string, values: FieldValue[]): Promise<FormPage> {
	const page = await openForm(url, values);
	await leave(page);
	return page;
}

/** The last page lets the execution continue as soon as it is shown. */
export async function leave({ url }: FormPage): Promise<void> {
	await fetch(url, { method: 'POST', headers, body: new FormData() });
}

function bodyOf(values: FieldValue[]): FormData {
	const body = new FormData();
	values.forEach((value, index) =>
		body.append(`field-${index}`, Array.isArray(value) ? JSON.stringify(value) : value),
	);
	return body;
}

/** Waits for a page with another title than the previous page. */
async function waitingPage(url: string, previousTitle = ''): Promise<FormPage> {
	const status = new URL(url);
	status.pathname += '/n8n-execution-status';
	return await poll(async () => {
		const text = await (await fetch(status, { headers })).text();
		if (text.trim() !== 'form-waiting') return undefined;
		const page = await (await fetch(url, { headers })).text();
		const textOf = (tag: string) =>
			new RegExp(`<${tag}\\b[^>]*>([^]*?)</${tag}>`).exec(page)?.[1]?.trim() ?? '';
		const title = textOf('h1');
		if (title === previousTitle) return undefined;
		const executionId = /form-waiting\/(\d+)/.exec(url)?.[1] ?? '';
		return { executionId, url, title, message: textOf('p') };
	});
}
