import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';

import { ourNode, until, workflowOver } from '../../../sandbox/host';
import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { examplesFolder } from '../../../sandbox/start/examples';
import { type EditorBench, openOver } from '../support/editor';
import { approval, asking, submitForm, untilWaiting } from '../support/pages';
import { isRegistered } from '../support/webhook';

export type Stage = EditorBench;

interface Scene {
	/** Of the window. A README shows images at 800 pixels or less, so it is only as large as its subject. */
	size: { width: number; height: number };
	/** Shows the scene in the editor. @returns what the picture shows */
	show(stage: Stage): Promise<Framing>;
}

interface Framing {
	/** The whole window by default; several elements stand for their common area. */
	part?: Locator;
	margin?: number;
	style?: string;
}

/** Parts of n8n's editor that have nothing to do with the subject. */
export const distractions = [
	'.el-notification',
	'[data-test-id="floating-nodes"]',
	'[data-test-id="node-feature-request"]',
	'#cm-tooltip-container',
];

const { bots, contacts } = SEEDED;

const leads = [
	{ id: contacts.telegram, name: 'Анна', city: 'Казань' },
	{ id: 'не указан', name: 'Иван', city: 'Москва' },
	{ id: contacts.viber, name: 'Мария', city: 'Самара' },
];

const send = {
	name: 'Send message',
	parameters: {
		resource: 'message',
		operation: 'send',
		contactId: '={{ $json.id }}',
		text: '=Здравствуйте, {{ $json.name }}! Ждём вас завтра в 18:30.',
	},
};

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
					resource: 'tag',
					operation: 'attach',
					contactId: '={{ $json.id }}',
					botId: String(bots.flowers),
					tagName: { __rl: true, mode: 'list', value: tag, cachedResultName: tag },
				},
			});
			await details.executePrevious();
			const list = details.list('tagName');
			await list.open();
			await list.untilLoaded();
			return { part: details.window.locator('.node-settings') };
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
		size: { width: 1088, height: 548 },
		async show(stage) {
			const ids = Array.from({ length: 3_000 }, (_, index) => contacts.telegram + index);
			const details = await openOver(
				stage,
				ids.map((id) => ({ ...leads[0], id })),
				send,
			);
			await details.executePrevious();
			await details.output.untilHinted();
			return { part: details.window };
		},
	},

	'question-on-phone': {
		size: { width: 390, height: 400 },
		async show(stage) {
			const { api, credential } = stage;
			const ask = asking({
				contactId: String(contacts.max),
				message: 'Анна Смирнова просит скидку 10 % на курс «Английский для работы». Дать скидку?',
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
			return {};
		},
	},

	credential: {
		size: { width: 1000, height: 1400 },
		async show({ editor, credential }) {
			const dialog = await editor.openCredential(credential.name);
			const address = dialog.field('baseUrl').locator('input');
			await address.evaluate((input) => Object.assign(input, { value: 'https://watbot.ru' }));
			return {
				part: dialog.banner.or(editor.page.getByTestId('credential-connection-parameter')),
				margin: 16,
				// As high as its fields, so that it does not scroll.
				style: '.el-dialog { height: auto !important; max-height: none !important; }',
			};
		},
	},

	'welcome-new-leads': ofExample('welcome-new-leads.json', { width: 1480, height: 1200 }),
	'lead-becomes-contact': ofExample('lead-becomes-contact.json', { width: 1480, height: 1300 }),

	'broadcast-to-segment': ofExample(
		'broadcast-to-segment.json',
		{ width: 1700, height: 1200 },
		async ({ service }) => {
			for (const contact of addContacts(service.data, 12)) contact.tags.push('Пробный урок');
		},
	),

	'broadcast-on-friday': ofExample(
		'broadcast-on-friday.json',
		{ width: 1900, height: 1200 },
		async ({ api, examples }) => {
			// At night, nothing would be sent.
			const id = examples.get('broadcast-on-friday.json')!;
			const workflow = await api.workflow(id);
			for (const { parameters } of workflow.nodes) {
				const { sendingHours } = (parameters.options ?? {}) as { sendingHours?: { values: object } };
				if (sendingHours) sendingHours.values = { from: '00:00', until: '23:59' };
			}
			await api.updateWorkflow(id, workflow);
		},
	),

	'broadcast-from-form': {
		size: { width: 560, height: 560 },
		async show(stage) {
			const { api, editor, examples, host } = stage;
			await api.activateWorkflow(examples.get('broadcast-from-form.json')!);
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
};

/** For a workflow whose picture is shown at two thirds of its size. */
const larger = `
	[data-test-id="canvas-node"] [class*="_description_"] [class*="_label_"] { font-size: 21px !important; }
	[data-test-id="canvas-node"] [class*="_subtitle_"] { font-size: 14px !important; }
	.n8n-sticky h3 { font-size: 22px !important; }
	.n8n-sticky p { font-size: 17px !important; }
`;

/** The nodes and notes of an example that has run, without the note that says what to change. */
function ofExample(file: string, size: Scene['size'], prepare?: (stage: Stage) => Promise<void>): Scene {
	return {
		size,
		async show(stage) {
			const { editor, examples } = stage;
			const { page } = editor;
			await prepare?.(stage);
			await editor.openWorkflow(examples.get(file)!);
			// With several triggers, the button below the canvas starts another one than the manual one.
			await page.getByTestId('execute-workflow-button-Start').dispatchEvent('click');
			await editor.stopButton.waitFor();
			await editor.untilEnded();
			// The last numbers of items appear a moment later.
			await page.waitForTimeout(2_000);
			await editor.fitCanvas();
			const instructions = '.n8n-sticky:has(h2)';
			return {
				part: editor.drawing.filter({ hasNot: page.locator(instructions) }),
				margin: 32,
				style: `${larger} ${instructions} { visibility: hidden !important; }`,
			};
		},
	};
}

/** The editor opens n8n under another name of this machine than links do. */
async function openPage({ editor, host }: Stage, link: string): Promise<void> {
	await editor.page.goto(link.replace(new URL(link).origin, host.url), { waitUntil: 'domcontentloaded' });
}
