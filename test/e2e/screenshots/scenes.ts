import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';

import { ourNode, until, workflowOver } from '../../../sandbox/host';
import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { examplesFolder, withCredential } from '../../../sandbox/start/examples';
import { broadcast, compared, segment, storeCompared } from '../support/comparison';
import { type EditorBench, openOver } from '../support/editor';
import { exampleOf, refusal, withoutTestRun } from '../support/examples';
import { approval, questionNode, submitForm, untilWaiting } from '../support/pages';
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

const RUN_TIMEOUT_MS = 300_000;

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
		size: { width: 1088, height: 560 },
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

	'with-http-request': ofCompared(compared.http),
	'with-chatbot-service': ofCompared(compared.ours),

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
};

/** All of a drawing: nodes with their names, lines, and the outputs of 'Send message' that lead nowhere. */
const drawn = [
	'.vue-flow__edge-path',
	'.vue-flow__node',
	'[data-test-id="canvas-node"] [class*="_description_"]',
	'[data-node-name="Send message"] [data-test-id="canvas-handle-plus-wrapper"]',
].join();

/** Texts that are readable where the picture is shown smaller, and no lines through them. */
const clearer = `
	[data-test-id="canvas-node"] [class*="_description_"] [class*="_label_"] { font-size: 18px !important; }
	[data-test-id="canvas-node"] [class*="_subtitle_"] { display: none !important; }
	[data-test-id="canvas-node"] [class*="_bolt_"] { display: none !important; }
	[data-test-id="edge-label"] > *, [class*="_runDataLabel_"] { font-size: 15px !important; }
	[class*="_outputLabel_"] { font-size: 14px !important; padding: 0 3px; background: rgb(245, 245, 245); }
	[data-test-id="canvas-node-output-handle"]:not([data-node-name="Send message"]) {
		[data-test-id="canvas-handle-plus-wrapper"], [class*="_runDataLabel_"] { visibility: hidden; }
	}
`;

/** One of the two workflows of docs/comparison that has run: twelve people got the message, and one has blocked the bot. */
function ofCompared(file: string): Scene {
	return {
		size: { width: 1500, height: 1100 },
		async show(stage) {
			const { editor, service } = stage;
			const { page } = editor;
			service.reset();
			service.data.bots.get(bots.school)!.tags.push(broadcast);
			const people = addContacts(service.data, 12);
			for (const { tags } of people) tags.push(segment);
			service.faults.add({ kind: 'too many', retryAfter: 1, match: { recipient: people[3]!.id, times: 1 } });
			service.faults.add(refusal('sendMessage', people[7]!.id));
			await editor.openWorkflow(await storeCompared(stage, file));
			await editor.startWorkflow();
			await editor.untilEnded(RUN_TIMEOUT_MS);
			service.faults.clear();
			// The last numbers of items appear a moment later.
			await page.waitForTimeout(2_000);
			await editor.fitCanvas();
			return { part: page.locator(drawn), margin: 24, style: clearer };
		},
	};
}

/** The editor opens n8n under another name of this machine than links do. */
async function openPage({ editor, host }: Stage, link: string): Promise<void> {
	await editor.page.goto(link.replace(new URL(link).origin, host.url), { waitUntil: 'domcontentloaded' });
}
