import type { Locator, Page } from 'playwright-core';

/** What a person does in the editor, step by step: how often they press the mouse or drag, and how many fields they fill. */
export class Walk {
	private readonly steps: Array<{ counts?: 'click' | 'field'; words: string }> = [];

	constructor(private readonly page: Page) {}

	async click(name: string, target: Locator): Promise<void> {
		this.steps.push({ counts: 'click', words: `click ${name}` });
		await target.click();
	}

	async drag(name: string, from: Locator, to: Locator): Promise<void> {
		this.steps.push({ counts: 'click', words: `drag ${name}` });
		// Between the two, the editor has to notice that something is dragged.
		await from.hover();
		await this.page.mouse.down();
		await to.hover();
		await to.hover();
		await this.page.mouse.up();
		// The editor puts the cursor there.
		await to.locator(':focus').waitFor();
	}

	/** Types, or pastes, into a field. If the cursor is elsewhere, the click into the field counts too. */
	async type(name: string, field: Locator, text: string): Promise<void> {
		const hasCursor = await field.evaluate((element) => element.matches(':focus-within'));
		if (!hasCursor) await this.click(`into ${name}`, field);
		this.steps.push({ counts: 'field', words: `type ${name}: ${text}` });
		await this.page.keyboard.insertText(text);
	}

	/** Presses a key, which counts as nothing. */
	async key(key: string): Promise<void> {
		this.steps.push({ words: `press ${key}` });
		await this.page.keyboard.press(key);
	}

	get counted() {
		const count = (what: 'click' | 'field') => this.steps.filter(({ counts }) => counts === what).length;
		return { clicks: count('click'), fields: count('field') };
	}

	/** Runs a part of the walk. @throws Error with all steps so far if it fails */
	async go(part: () => Promise<void>): Promise<void> {
		try {
			await part();
		} catch (error) {
			const { clicks, fields } = this.counted;
			const list = this.steps.map(({ words }, index) => `${index + 1}. ${words}`).join('\n');
			throw new Error(`The walk failed after ${clicks} clicks and ${fields} fields:\n${list}`, {
				cause: error,
			});
		}
	}
}
