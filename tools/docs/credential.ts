import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { tableOf } from '../tables';
import type { Texts } from './texts';

/* The table of the credential's test in docs/credential.md. */

const credential = new ChatbotServiceApi();

/** The messages of the test, by the names of their explanations. What is wrong with a field, its message says itself. */
export function credentialTable(texts: Texts): string {
	const names = new Map<string, string>();
	for (const { properties } of credential.test.rules!) {
		const { key, value, message } = properties as { key?: string; value: unknown; message: string };
		if (!names.has(message)) names.set(message, key ?? String(value));
	}
	const rows = [...names].map(([message, name]) => [message, texts.get('credential', 'texts', name)]);
	return tableOf(texts.get('credential', 'columns'), rows);
}
