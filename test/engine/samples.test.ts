import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { projectFolder } from '../../sandbox/host/paths';
import { linkIn } from '../operations/link';
import { id } from './goods';
import { credentialFor, openLink, runNode, useEmulator, type RunOptions } from './harness';

/* The samples of output on the pages are what the node returns. A sample may leave out fields, and nothing else. */

const service = useEmulator();

const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters, credential: credentialFor(service), ...options });

const person = { resource: 'contact', operation: 'get', findBy: 'phone' };
const contactId = String(SEEDED.contacts.telegram);

const firstOf = async (parameters: INodeParameters) => (await run(parameters)).json[0]!;

const contact = async () =>
	await firstOf({ ...person, findValue: '+79161234567', include: ['tags', 'variables'] });

const tag = async () => await firstOf({ resource: 'tag', operation: 'getManyByContact', contactId });

const listItem = async () =>
	await firstOf({ resource: 'listItem', operation: 'getAll', schemaId: id(SEEDED.schemas.goods) });

async function failedItem({ name, phone }: IDataObject): Promise<IDataObject> {
	const { outputs } = await run(
		{ ...person, findValue: '={{ $json.phone }}' },
		{ items: [{ name, phone }], node: { onError: 'continueErrorOutput' } },
	);
	return outputs[1]![0]!.json;
}

async function answer({ data }: IDataObject): Promise<IDataObject> {
	const { question, respondedAt } = data as IDataObject;
	const message = String(question);
	const asked = await run({ resource: 'message', operation: 'sendAndWait', contactId, message });
	const link = linkIn(service.deliveries().at(-1)!.text);
	const { items } = await openLink(asked, link, { method: 'POST', body: { answer: 'approve' } });
	const { data: given } = items![0]!.json as { data: IDataObject };
	expect(new Date(String(given.respondedAt)).toISOString()).toBe(given.respondedAt);
	return { data: { ...given, respondedAt } };
}

/** In the order of each page. An output that repeats what went in takes it from the sample. */
const shown: Record<string, Array<(sample: IDataObject) => Promise<IDataObject>>> = {
	operations: [contact, tag, listItem, failedItem, answer],
	lists: [listItem],
};

const pages = Object.keys(shown).flatMap((page) => [`docs/${page}.md`, `docs/ru/${page}.md`]);

test.each(pages)('%s shows what comes out', async (page) => {
	const text = readFileSync(join(projectFolder, page), 'utf8');
	const samples = [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(
		([, sample]) => JSON.parse(sample!) as IDataObject,
	);
	const outputs = shown[/(\w+)\.md$/.exec(page)![1]!]!;
	expect(samples).toHaveLength(outputs.length);
	for (const [index, output] of outputs.entries())
		expect(await output(samples[index]!)).toMatchObject(samples[index]!);
});
