import { ownConnection, until } from '../../../sandbox/host';

/** The last page that a person sees after submitting a form of n8n, and its execution. */
export interface FormEnding {
	executionId: string;
	title: string;
	message: string;
}

/** Needed because a form may refuse clients that are not browsers. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const headers = { ...ownConnection, 'user-agent': userAgent };

/** Waits until the form of a workflow that was just activated is available. */
export async function untilFormIsThere(url: string): Promise<void> {
	await until(async () => (await fetch(url, { headers })).ok);
}

/**
 * Submits a form like its page, and continues to the last page.
 *
 * @param values of the fields, in their order; an array for checkboxes
 */
export async function submitForm(url: string, values: Array<string | string[]>): Promise<FormEnding> {
	const body = new FormData();
	values.forEach((value, index) =>
		body.append(`field-${index}`, Array.isArray(value) ? JSON.stringify(value) : value),
	);
	const submitted = await fetch(url, { method: 'POST', headers, body });
	const { formWaitingUrl } = (await submitted.json()) as { formWaitingUrl: string };
	const status = new URL(formWaitingUrl);
	status.pathname += '/n8n-execution-status';
	await until(async () => {
		const text = await (await fetch(status, { headers })).text();
		return text.trim() === 'form-waiting';
	});
	const page = await (await fetch(formWaitingUrl, { headers })).text();
	// The last page lets the execution continue as soon as it is shown.
	await fetch(formWaitingUrl, { method: 'POST', headers, body: new FormData() });
	const textOf = (tag: string) =>
		new RegExp(`<${tag}\\b[^>]*>([^<]*)</${tag}>`).exec(page)?.[1]?.trim() ?? '';
	return {
		executionId: /form-waiting\/(\d+)/.exec(formWaitingUrl)?.[1] ?? '',
		title: textOf('h1'),
		message: textOf('p'),
	};
}
