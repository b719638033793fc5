import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { tableOf } from '../tables';
import type { Texts } from './texts';

/* The table of the credential's test in docs/credential.md. */

const credential = new ChatbotServiceApi();

const refusalOf = async (data: ICredentialDataDecryptedObject) =>
	await credential.authenticate({ baseUrl: 'https://example.com', ...data }, { url: '' }).then(
		() => {
			throw new Error('The credential accepts what it must refuse');
		},
		({ message }: Error) => message,
	);

/** The messages of the credential and of its test, by the names of their explanations. */
export async function credentialTable(texts: Texts): Promise<string> {
	const names = new Map<string, string>();
	for (const { properties } of credential.test.rules!) {
		const { key, value, message } = properties as { key?: string; value: unknown; message: string };
		if (!names.has(message)) names.set(message, key ?? String(value));
	}
	names.set(await refusalOf({ baseUrl: '' }), 'address');
	names.set(await refusalOf({ requestsPerSecond: 'x' }), 'pace');
	names.set(await refusalOf({ workers: 'x' }), 'workers');
	const rows = [...names].map(([message, name]) => [message, texts.get('credential', 'texts', name)]);
	return tableOf(texts.get('credential', 'columns'), rows);
}
