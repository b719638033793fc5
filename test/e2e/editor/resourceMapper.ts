import type { Locator, Page } from 'playwright-core';

/** The fields of a parameter that loads them from the service ("resource mapper" in n8n's own terms). */
export class ResourceMapper {
	private readonly container: Locator;

	constructor(private readonly page: Page) {
		this.container = page.getByTestId('ndv').getByTestId('resource-mapper-container');
	}

	/** The labels of the fields that have an input. */
	async fields(): Promise<string[]> {
		return await this.container
			.locator('label[for^="value["]')
			.evaluateAll((labels) =>
				labels.map((label) => label.querySelector('.n8n-text')?.textContent?.trim() ?? ''),
			);
	}

	/** Adds a field, as the button below the others does. */
	async add(label: string): Promise<void> {
		await this.container.getByTestId('add-fields-select').getByRole('button').first().click();
		await this.page.getByRole('menuitem', { name: label, exact: true }).click();
		await this.field(label).waitFor();
	}

	private field(label: string): Locator {
		return this.container.locator('.parameter-item', { has: this.page.getByText(label, { exact: true }) });
	}
}
