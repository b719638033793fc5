import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { projectFolder } from '../../sandbox/host/paths';
import { linkIn } from '../operations/link';
import { openLink } from './harness';
import { apart, scene, usual } from './scene';

/* The samples of output on the pages are what the node returns. A sample may leave out fields, and nothing else. */

const { service, run } = scene({});

const firstOf = async (title: string, changes: object) =>
	(await run({ parameters: usual(title, changes) })).json[0]!;

const anna = { botId: '', findBy: 'phone', findValue: '+79161234567' };
const contact = async () => await firstOf('contact/get', anna);
const tag = async () => await firstOf('tag/getManyByContact', {});
const listItem = async () => await firstOf('listItem/getAll', { fieldFilters: {}, itemOptions: {} });

async function failedItem({ name, phone }: IDataObject): Promise<IDataObject> {
	const parameters = usual('contact/get', { findBy: 'phone', findValue: '={{ $json.phone }}' });
	return (await run({ parameters, items: [{ name, phone }], node: apart })).outputs[1]![0]!.json;
}

async function answer({ data }: IDataObject): Promise<IDataObject> {
	const { question, respondedAt } = data as IDataObject;
	const asked = await run({ parameters: usual('message/sendAndWait', { message: question }) });
	const link = linkIn(service.deliveries().at(-1)!.text);
	const { items } = await openLink(asked, link, { method: 'POST', body: { answer: 'approve' } });
	const { data: given } = items![0]!.json as { data: IDataObject };
	expect(new Date(String(given.respondedAt)).toISOString()).toBe(given.respondedAt);
	return { data: { ...given, respondedAt } };
}

/** In the order of each page. An output that repeats what went in takes it from the sample. */
const shown: Record<string, Array<(sample: IDataObject) => Promise<IDataObject>>> = {
	operations: [contact, tag, failedItem, answer],
	lists: [listItem],
};

const pages = Object.keys(shown).flatMap((page) => [`docs/${page}.md`, `docs/ru/${page}.md`]);

test.each(pages)('%s shows what comes out', async (page) => {
	const blocks = readFileSync(join(projectFolder, page), 'utf8').matchAll(/^```json\n(.*?)^```$/gms);
	const samples = Array.from(blocks, ([, sample]) => JSON.parse(sample!) as IDataObject);
	const outputs = shown[/(\w+)\.md$/.exec(page)![1]!]!;
	expect(samples).toHaveLength(outputs.length);
	for (const [index, output] of outputs.entries())
		expect(await output(samples[index]!)).toMatchObject(samples[index]!);
});
