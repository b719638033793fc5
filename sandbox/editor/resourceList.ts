import type { Page } from 'playwright-core';

import { until } from '../processes/poll';

export interface ListProblem {
	message: string;
	/** The advice below the message. */
	description: string | undefined;
	leadsToCredential: boolean;
}

/** The list of a parameter whose value can be selected ("resource locator" in n8n's own terms). */
export class ResourceList {
	constructor(
		private readonly page: Page,
		private readonly parameter: string,
	) {}

	/** Opens the list; its contents load later. */
	async open(): Promise<void> {
		await this.locator.getByTestId('rlc-input').click();
		await this.locator.locator('[aria-haspopup="dialog"][aria-expanded="true"]').waitFor();
	}

	untilLoaded = () => this.items.first().waitFor();

	/** Closes the list by a click elsewhere; a list that could not be loaded does not react to keys. */
	async close(): Promise<void> {
		await this.page.getByTestId('ndv').getByTestId('tab-params').click();
		await this.locator.locator('[aria-haspopup="dialog"][aria-expanded="false"]').waitFor();
	}

	search = (text: string) => this.page.getByTestId('rlc-search').fill(text);

	async entries(): Promise<string[]> {
		return (await this.items.allInnerTexts()).map((name) => name.trim());
	}

	/**
	 * Scrolls to the end of the loaded entries, and waits for the entries that the editor loads next.
	 *
	 * The editor loads half a second after the last scrolling, and ignores an end that is reached while it is still loading. So
	 * each attempt starts at the top, and then does not touch the list for some seconds.
	 */
	async loadMore(): Promise<void> {
		const loaded = await this.items.count();
		await until(async () => {
			await this.items.first().scrollIntoViewIfNeeded();
			await this.items.last().scrollIntoViewIfNeeded();
			return await this.hasMoreThan(loaded);
		});
	}

	/** Whether the list gets more entries than these within some seconds. */
	private async hasMoreThan(loaded: number): Promise<boolean> {
		try {
			await this.items.nth(loaded).waitFor({ state: 'attached', timeout: 5_000 });
			return true;
		} catch {
			return false;
		}
	}

	async pick(name: string): Promise<void> {
		await this.items.getByText(name, { exact: true }).click();
		await this.locator.locator('[aria-haspopup="dialog"][aria-expanded="false"]').waitFor();
	}

	picked = () => this.locator.getByTestId('rlc-input').inputValue();

	async problem(): Promise<ListProblem> {
		const container = this.page.getByTestId('rlc-error-container');
		await container.waitFor();
		const description = container.locator('.notice-content');
		return {
			message: await container.getByTestId('rlc-error-message').innerText(),
			description: (await description.count()) > 0 ? (await description.innerText()).trim() : undefined,
			leadsToCredential: (await container.getByTestId('permission-error-link').count()) > 0,
		};
	}

	private get locator() {
		return this.page.getByTestId(`resource-locator-${this.parameter}`);
	}

	private get items() {
		return this.page.getByTestId('rlc-item');
	}
}
