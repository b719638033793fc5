import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { tableOf, type Texts } from './texts';

const credential = new ChatbotServiceApi();

/** The messages of the credential's test, by the names of their explanations. */
async function messages(): Promise<Array<[name: string, message: string]>> {
	const byMessage = new Map<string, string>();
	for (const { properties } of credential.test.rules!) {
		const { key, value, message } = properties as { key?: string; value: unknown; message: string };
		if (!byMessage.has(message)) byMessage.set(message, key ?? String(value));
	}
	return [
		...[...byMessage].map(([message, name]): [string, string] => [name, message]),
		['address', await refusalOf({ baseUrl: '' })],
		['pace', await refusalOf({ baseUrl: 'https://example.com', requestsPerSecond: 'x' })],
		['workers', await refusalOf({ baseUrl: 'https://example.com', workers: 'x' })],
	];
}

const refusalOf = async (data: ICredentialDataDecryptedObject) =>
	await credential.authenticate(data, { url: '' }).then(
		() => {
			throw new Error('The credential accepts what it must refuse');
		},
		({ message }: Error) => message,
	);

export async function credentialTable(texts: Texts): Promise<string> {
	const rows = (await messages()).map(([name, message]) => [message, texts.get('credential', 'texts', name)]);
	return tableOf(texts.get('credential', 'columns'), rows);
}
