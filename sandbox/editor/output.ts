import type { Page } from 'playwright-core';

import type { Hand } from './hand';

/** The pane of an open node that shows what came out of it. */
export class Output {
	constructor(
		private readonly page: Page,
		private readonly hand: Hand,
	) {}

	/** Waits until the node has run, well or badly. */
	async untilRun(): Promise<void> {
		await this.pane.locator('[data-test-id^="node-run-status-"]').waitFor();
	}

	/** The items of an output, read from the table: the text of each value by its name. @param branch from 0 */
	async items(branch = 0): Promise<Array<Record<string, string>>> {
		const tab = this.pane.getByTestId(`tab-${branch}`);
		if ((await tab.count()) > 0) await this.hand.click(tab);
		await this.hand.click(this.pane.getByTestId('radio-button-table'));
		const table = this.pane.locator('table');
		const names = (await table.locator('thead th').allInnerTexts()).map((name) => name.trim());
		const items: Array<Record<string, string>> = [];
		for (const row of await table.locator('tbody tr').all()) {
			const values = (await row.locator('td').allInnerTexts()).map((value) => value.trim());
			const named = names.map((name, index) => [name, values[index] ?? '']).filter(([name]) => name !== '');
			// The last row is there for the looks.
			if (values.some((value) => value !== '')) items.push(Object.fromEntries(named));
		}
		return items;
	}

	/** Why the node stopped the run, when it did. */
	async error(): Promise<{ message: string; description: string }> {
		return {
			message: await this.pane.getByTestId('node-error-message').innerText(),
			description: await this.pane.getByTestId('node-error-description').innerText(),
		};
	}

	/** What the node has to say before or after a run. */
	async hints(): Promise<string[]> {
		return (await this.pane.getByTestId('node-hint').allInnerTexts()).map((hint) => hint.trim());
	}

	/** Waits until the node has something to say. */
	async untilHinted(): Promise<void> {
		await this.pane.getByTestId('node-hint').first().waitFor();
	}

	private get pane() {
		return this.page.getByTestId('output-panel');
	}
}
