import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ourNode, until, workflowOver } from '../../../sandbox/host';
import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { examplesFolder, withCredential } from '../../../sandbox/start/examples';
import {
	doneButNotSaid,
	exampleOf,
	refusal,
	russianExamplesFolder,
	withoutTestRun,
} from '../support/examples';
import { approval, questionNode, submitForm, untilWaiting } from '../support/pages';
import { isRegistered } from '../support/webhook';
import { drawAddressBar } from './drawing';
import type { Scene, Stage } from './scene';

/* What people see who do not use the editor: pages of n8n, and a chat. */

const { bots, contacts } = SEEDED;

export const pages: Record<string, Scene> = {
	'question-on-phone': {
		size: { width: 390, height: 454 },
		async show(stage) {
			const { api, credential, editor } = stage;
			const ask = questionNode({
				contactId: String(contacts.max),
				message: 'Анна Смирнова просит скидку 10\u00a0% на курс «Английский для работы». Дать скидку?',
				approvalOptions: {
					values: { ...approval.values, approveLabel: 'Дать скидку', disapproveLabel: 'Отказать' },
				},
				options: {
					responseFormTitle: 'Скидка для клиента',
					responseFormDescription: 'Анна узнает ответ сразу.',
				},
			});
			const { id } = await api.createWorkflow(workflowOver(ask.name, [{}], ourNode(ask, credential)));
			await openPage(stage, (await untilWaiting(stage, id)).link);
			await drawAddressBar(editor.page, 'n8n.example.com');
			return {};
		},
	},

	'broadcast-from-form': {
		size: { width: 560, height: 560 },
		async show(stage) {
			const { api, credential, editor, examples, host } = stage;
			const file = 'broadcast-from-form.json';
			const id = examples.get(file)!;
			await api.updateWorkflow(id, withCredential(withoutTestRun(exampleOf(file)), credential));
			await api.activateWorkflow(id);
			const url = `${host.url}/form/broadcast`;
			await until(async () => await isRegistered(url));
			const list = new File([await readFile(join(examplesFolder, 'contacts.csv'))], 'contacts.csv');
			const text = 'Здравствуйте, {имя}! В субботу у нас открытый урок. Придёте?';
			const next = await submitForm(url, [list, 'Открытый урок, ноябрь', 'Пробный урок', text]);
			await openPage(stage, next.url);
			await editor.page.getByText('First message').waitFor();
			return { part: editor.page.locator('form') };
		},
	},

	/** The report of an example, as it arrives. */
	report: {
		size: { width: 390, height: 800 },
		inRussian: true,
		async show({ api, credential, editor, service }, language) {
			service.reset();
			const people = addContacts(service.data, 24, { messenger: 'vk' });
			for (const { id, variables } of people)
				variables.push({ id, name: 'Интерес', value: 'Разговорный английский', deletable: false });
			service.faults.add(doneButNotSaid('sendMessage', people[5]!.id));
			service.faults.add(refusal('sendMessage', people[8]!.id));
			const folder = language === 'ru' ? russianExamplesFolder : undefined;
			const example = withoutTestRun(exampleOf('broadcast-to-segment.json', folder));
			await api.runWorkflow((await api.createWorkflow(withCredential(example, credential))).id);
			service.faults.clear();

			// The manager, in the example.
			const { text } = service.deliveries().findLast(({ contactId }) => contactId === contacts.vk)!;
			const { page } = editor;
			await page.goto('about:blank');
			await page.setContent(
				chat(service.data.bots.get(bots.school)!.name, language === 'ru' ? 'бот' : 'bot'),
			);
			await page.locator('p').evaluate((bubble, words) => bubble.prepend(words!), text);
			return { part: page.locator('body') };
		},
	},
};

/** A messenger that is none in particular, with an empty message. */
const chat = (name: string, kind: string) => `<!doctype html>
	<style>
		body { margin: 0; width: 390px; background: #e8edf3; color: #1c2333; font: 16px/1.4 Inter, sans-serif; }
		header { padding: 10px 16px; background: #fff; border-bottom: 1px solid #d5dbe3; font-weight: 600; }
		small { display: block; color: #6b7585; font-weight: 400; font-size: 14px; }
		main { padding: 16px 40px 16px 12px; }
		p { margin: 0; padding: 10px 14px 8px; border-radius: 4px 16px 16px; background: #fff; white-space: pre-line; }
		p small { text-align: right; }
	</style>
	<header>${name}<small>${kind}</small></header>
	<main><p><small>12:04</small></p></main>`;

/** The editor opens n8n under another name of this machine than links do. */
async function openPage({ editor, host }: Stage, link: string): Promise<void> {
	await editor.page.goto(link.replace(new URL(link).origin, host.url), { waitUntil: 'domcontentloaded' });
}
