import type { Locator } from 'playwright-core';

/** What a person does with mouse and keyboard, counted. */
export class Interaction {
	/** Clicks so far; a double click is one. */
	clicks = 0;

	/** Fields filled so far, search boxes included. */
	fields = 0;

	async click(target: Locator): Promise<void> {
		this.clicks++;
		await target.click();
	}

	async doubleClick(target: Locator): Promise<void> {
		this.clicks++;
		await target.dblclick();
	}

	/** Puts a text into an empty or filled field. */
	async fill(field: Locator, text: string): Promise<void> {
		this.fields++;
		await field.fill(text);
	}
}
