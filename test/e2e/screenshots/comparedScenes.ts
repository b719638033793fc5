import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { broadcast, compared, segment, storeCompared } from '../support/comparison';
import { refusal } from '../support/examples';
import type { Scene } from './scene';

/* The same broadcast with n8n's own nodes and with the node of this package. */

const RUN_TIMEOUT_MS = 300_000;

const russianNames = {
	Start: 'Старт',
	'Send message': 'Отправка',
	// Of n8n's own nodes.
	'Get contacts': 'Контакты',
	'One item each': 'По одному',
	'With the tag': 'С тегом',
	'Mark as sent': 'Отметить тегом',
	'Other than 429?': 'Не 429?',
	'Wait 10 seconds': 'Ждать 10 секунд',
	// Of the other workflow.
	'Contacts with the tag': 'Контакты с тегом',
};

/** All of a drawing: nodes with their names, lines, and the outputs of the sending node that lead nowhere. */
const drawn = (sending: string) =>
	[
		'.vue-flow__edge-path',
		'.vue-flow__node',
		'[data-test-id="canvas-node"] [class*="_description_"]',
		`[data-node-name="${sending}"] [data-test-id="canvas-handle-plus-wrapper"]`,
	].join();

/** Texts that are readable where the picture is shown smaller, and no lines through them. */
const clearer = (sending: string) => `
	[data-test-id="canvas-node"] [class*="_description_"] [class*="_label_"] { font-size: 18px !important; }
	[data-test-id="canvas-node"] [class*="_subtitle_"] { display: none !important; }
	[data-test-id="canvas-node"] [class*="_bolt_"] { display: none !important; }
	[data-test-id="edge-label"] > *, [class*="_runDataLabel_"] { font-size: 15px !important; }
	[class*="_outputLabel_"] { font-size: 14px !important; padding: 0 3px; background: rgb(245, 245, 245); }
	[data-test-id="canvas-node-output-handle"]:not([data-node-name="${sending}"]) {
		[data-test-id="canvas-handle-plus-wrapper"], [class*="_runDataLabel_"] { visibility: hidden; }
	}
`;

/** One of the two workflows of docs/comparison that has run: twelve people got the message, and one has blocked the bot. */
const ofCompared = (file: string): Scene => ({
	size: { width: 1500, height: 1100 },
	inRussian: true,
	async show(stage, language) {
		const { editor, service } = stage;
		const { page } = editor;
		const names = language === 'ru' ? russianNames : undefined;
		const sending = names?.['Send message'] ?? 'Send message';
		service.reset();
		service.data.bots.get(SEEDED.bots.school)!.tags.push(broadcast);
		const people = addContacts(service.data, 12);
		for (const { tags } of people) tags.push(segment);
		service.faults.add({ kind: 'too many', retryAfter: 1, match: { recipient: people[3]!.id, times: 1 } });
		service.faults.add(refusal('sendMessage', people[7]!.id));
		await editor.openWorkflow(await storeCompared(stage, file, names));
		await editor.startWorkflow();
		await editor.untilEnded(RUN_TIMEOUT_MS);
		service.faults.clear();
		// The last numbers of items appear a moment later.
		await page.waitForTimeout(2_000);
		await editor.fitCanvas();
		return { part: page.locator(drawn(sending)), margin: 24, style: clearer(sending) };
	},
});

export const comparedScenes: Record<string, Scene> = {
	'with-http-request': ofCompared(compared.http),
	'with-chatbot-service': ofCompared(compared.ours),
};
