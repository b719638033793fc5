import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';

import { ourNode, until, workflowOver } from '../../../sandbox/host';
import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { examplesFolder, withCredential } from '../../../sandbox/start/examples';
import { type EditorBench, openOver } from '../support/editor';
import { exampleOf, withoutTestRun } from '../support/examples';
import { isRegistered } from '../support/mailing';
import { approval, questionNode, submitForm, untilWaiting } from '../support/pages';

/* What the pictures show: parts of the editor, and pages of n8n. */

export interface Scene {
	/** Of the window. A README shows images at 800 pixels or less, so it is only as large as its subject. */
	size: { width: number; height: number };
	/** Shows the scene. @returns what the picture shows: the whole window by default, or the common area of several elements */
	show(stage: EditorBench): Promise<{ part?: Locator; margin?: number; style?: string }>;
}

const { bots, contacts } = SEEDED;

const leads = [
	{ id: contacts.telegram, name: 'Анна', city: 'Казань' },
	{ id: 'не указан', name: 'Иван', city: 'Москва' },
	{ id: contacts.viber, name: 'Мария', city: 'Самара' },
];

const send = {
	name: 'Send message',
	parameters: {
		...{ resource: 'message', operation: 'send', contactId: '={{ $json.id }}' },
		text: '=Здравствуйте, {{ $json.name }}! Ждём вас завтра в 18:30.',
	},
};

/** Opens a page of n8n. The editor opens n8n under another name of this machine than links do. */
async function openPage({ editor, host }: EditorBench, link: string): Promise<void> {
	await editor.page.goto(link.replace(new URL(link).origin, host.url), { waitUntil: 'domcontentloaded' });
}

export const scenes: Record<string, Scene> = {
	'node-panel': {
		size: { width: 1280, height: 360 },
		async show({ api, editor }) {
			await editor.openWorkflow((await api.createWorkflow(workflowOver('Broadcast', leads))).id);
			const panel = await editor.addNode();
			await panel.search('телеграм');
			await panel.entry('Chatbot Service').waitFor();
			return { part: panel.window };
		},
	},

	'tag-from-list': {
		size: { width: 1048, height: 770 },
		async show(stage) {
			const tag = 'Новый лид';
			const details = await openOver(stage, leads, {
				name: 'Attach tag',
				parameters: {
					...{ resource: 'tag', operation: 'attach', contactId: '={{ $json.id }}' },
					botId: String(bots.flowers),
					tagName: { __rl: true, mode: 'list', value: tag, cachedResultName: tag },
				},
			});
			await details.executePrevious();
			const list = details.list('tagName');
			await list.open();
			await list.untilLoaded('8 Марта');
			return { part: details.settingsPane };
		},
	},

	'error-with-item': {
		size: { width: 1900, height: 410 },
		async show(stage) {
			const details = await openOver(stage, leads, { ...send, onError: 'continueErrorOutput' });
			await details.execute();
			await details.output.items(1);
			return { part: details.output.pane };
		},
	},

	pace: {
		size: { width: 1088, height: 560 },
		async show(stage) {
			const ids = Array.from({ length: 3_000 }, (_, index) => contacts.telegram + index);
			const many = ids.map((id) => ({ ...leads[0], id }));
			const details = await openOver(stage, many, send);
			await details.executePrevious();
			await details.output.untilHinted();
			return { part: details.window };
		},
	},

	credential: {
		size: { width: 1000, height: 1400 },
		async show({ editor, credential }) {
			const { page } = editor;
			await page.goto('/home/credentials');
			await page.getByTestId('resources-list-item').getByText(credential.name, { exact: true }).click();
			// n8n tests a credential whenever it is opened.
			await editor.credential.banner.waitFor();
			const address = editor.credential.input('baseUrl');
			await address.evaluate((input) => Object.assign(input, { value: 'https://watbot.ru' }));
			return {
				part: editor.credential.banner.or(page.getByTestId('credential-connection-parameter')),
				margin: 16,
				// As high as its fields, so that it does not scroll.
				style: '.el-dialog { height: auto !important; max-height: none !important; }',
			};
		},
	},

	contact: {
		size: { width: 1400, height: 652 },
		async show(stage) {
			const { data } = stage.service;
			const city = { name: 'Город', value: 'Казань' };
			for (const { id, variables } of addContacts(data, 11))
				variables.push({ id, ...city, deletable: false });
			const details = await openOver(stage, [{}], {
				name: 'Get many contacts',
				parameters: {
					...{ resource: 'contact', operation: 'getAll', botId: String(bots.school), returnAll: true },
					filters: { variables: { conditions: [{ ...city, condition: 'equals' }] } },
				},
			});
			await details.execute();
			const { pane } = details.output;
			await pane.getByTestId('radio-button-schema').click();
			// Without the fields of a group.
			await pane.locator('.schema-item').filter({ hasText: 'utm' }).locator('.toggle').first().click();
			return { part: pane };
		},
	},

	'question-on-phone': {
		size: { width: 390, height: 400 },
		async show(stage) {
			const { values } = approval;
			const ask = questionNode({
				contactId: String(contacts.max),
				message: 'Анна Смирнова просит скидку 10\u00a0% на курс «Английский для работы». Дать скидку?',
				approvalOptions: {
					values: { ...values, approveLabel: 'Дать скидку', disapproveLabel: 'Отказать' },
				},
				options: {
					responseFormTitle: 'Скидка для клиента',
					responseFormDescription: 'Анна узнает ответ сразу.',
				},
			});
			const workflow = workflowOver(ask.name, [{}], ourNode(ask, stage.credential));
			const { id } = await stage.api.createWorkflow(workflow);
			await openPage(stage, (await untilWaiting(stage, id)).link);
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
			await openPage(
				stage,
				(await submitForm(url, [list, 'Открытый урок, ноябрь', 'Пробный урок', text])).url,
			);
			await editor.page.getByText('First message').waitFor();
			return { part: editor.page.locator('form') };
		},
	},
};
