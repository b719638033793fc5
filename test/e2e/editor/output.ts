import type { Locator, Page } from 'playwright-core';

/** The output of the open node. */
export class Output {
	readonly pane: Locator;
	private readonly hintTexts: Locator;

	constructor(page: Page) {
		this.pane = page.getByTestId('output-panel');
		this.hintTexts = this.pane.getByTestId('node-hint');
	}

	/** Waits until the node has run, successfully or not. */
	untilRun = () => this.pane.locator('[data-test-id^="node-run-status-"]').waitFor();

	/** The items of an output: the text of each value by its name. @param branch from 0 */
	async items(branch = 0): Promise<Array<Record<string, string>>> {
		const tab = this.pane.getByTestId(`tab-${branch}`);
		if ((await tab.count()) > 0) await tab.click();
		await this.pane.getByTestId('radio-button-table').click();
		const table = this.pane.locator('table');
		await table.locator('tbody td').first().waitFor();
		const [names, ...rows] = await table
			.locator('tr')
			.evaluateAll((lines) =>
				lines.map((line) =>
					[...line.querySelectorAll('th, td')].map((cell) => (cell.textContent ?? '').trim()),
				),
			);
		// The last row and the last column have no data.
		return rows
			.filter((values) => values.some((value) => value !== ''))
			.map((values) => Object.fromEntries(values.map((value, index) => [names![index]!, value])))
			.map(({ '': _, ...item }) => item);
	}

	async error(): Promise<{ message: string; description: string }> {
		return {
			message: await this.pane.getByTestId('node-error-message').innerText(),
			description: await this.pane.getByTestId('node-error-description').innerText(),
		};
	}

	async hints(): Promise<string[]> {
		return (await this.hintTexts.allInnerTexts()).map((hint) => hint.trim());
	}

	untilHinted = () => this.hintTexts.first().waitFor();
}
