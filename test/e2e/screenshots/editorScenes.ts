import { workflowOver } from '../../../sandbox/host';
import { SEEDED } from '../../../sandbox/emulator';
import { openOver } from '../support/editor';
import type { Scene } from './scene';

/* Single parts of the editor. */

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

export const editorScenes: Record<string, Scene> = {
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
};
