import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type Execution, until } from '../../../sandbox/host';
import { examplesFolder } from '../../../sandbox/start/examples';
import { type openExamples, rows } from './examples';
import { type FormPage, leave, openForm, submitPage, untilFormIsThere } from './form';

/* The example "Broadcast from a form", as somebody in marketing uses it. */

export const file = 'broadcast-from-form.json';
/** A tag of the bot. */
export const tag = 'Пробный урок';
/** Gets the numbers at the end. */
export const manager = 5004;

export const list = (content: string | Uint8Array<ArrayBuffer>, name = 'contacts.csv') =>
	new File([content], name);

export const sampleList = async () => list(await readFile(join(examplesFolder, 'contacts.csv'), 'utf8'));

/** Anna and Ivan. */
export const small = list('phone,name\n8 916 123-45-67,Анна\n+79035550101,Иван');

/** How each row of a list ended, by the contact or by what the list says instead. */
export const outcomes = (execution: Execution) => columnOf(execution, 'outcome');
export const reasons = (execution: Execution) => columnOf(execution, 'reason');

const columnOf = (execution: Execution, column: string) =>
	Object.fromEntries(
		rows(execution, 'Report').map((row) => [row.contact_id || row.phone || row.name, row[column]]),
	);

/** The form of the example, in an n8n with the examples. */
export function formOf({ bench, idOf }: ReturnType<typeof openExamples>) {
	const address = () => `${bench.host.url}/form/broadcast`;
	const greeting = 'Здравствуйте, {имя}!\nВ субботу открытый урок.';

	const upload = async (name: string, contacts: File, tagName = tag) =>
		await openForm(address(), [contacts, name, tagName, greeting]);

	/** Confirms the broadcast, and waits for its end. */
	async function confirm(page: FormPage): Promise<{ started: FormPage; execution: Execution }> {
		const started = await submitPage(page, [['Да, всё верно']]);
		await leave(started);
		return { started, execution: await bench.api.waitForExecution(page.executionId) };
	}

	return {
		upload,
		confirm,
		broadcast: async (...values: Parameters<typeof upload>) =>
			(await confirm(await upload(...values))).execution,
		async publish() {
			await bench.api.activateWorkflow(idOf(file));
			await until(async () => await bench.api.isPublished(idOf(file)));
			await untilFormIsThere(address());
		},
	};
}
