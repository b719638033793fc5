import type { Locator } from 'playwright-core';

import type { EditorBench } from '../support/editor';

/* What a picture is: a scene in the editor or on a page, which somebody may see in two languages. */

export type Stage = EditorBench;

/** Of the document that shows the picture. n8n and the node speak English in both. */
export type Language = 'en' | 'ru';

export interface Scene {
	/** Of the window. A README shows images at 800 pixels or less, so it is only as large as its subject. */
	size: { width: number; height: number };
	/** The Russian pages have a picture of their own, because the user chooses words in it, such as the names of nodes. */
	inRussian?: true;
	/** Shows the scene. @returns what the picture shows */
	show(stage: Stage, language: Language): Promise<Framing>;
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
