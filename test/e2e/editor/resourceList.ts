import type { Locator, Page } from 'playwright-core';

import { until } from '../../../sandbox/host';

/** The list of a parameter whose value can be selected ("resource locator" in n8n's own terms). */
export class ResourceList {
	private readonly locator: Locator;
	private readonly items: Locator;

	constructor(
		private readonly page: Page,
		parameter: string,
	) {
		this.locator = page.getByTestId(`resource-locator-${parameter}`);
		this.items = page.getByTestId('rlc-item');
	}

	/** Opens the list; its contents load later. */
	async open(): Promise<void> {
		await this.locator.getByTestId('rlc-input').click();
		await this.untilExpanded(true);
	}

	/** Opens the list with its contents, again if the editor closes it because it loads what another value has changed. */
	async openLoaded(): Promise<void> {
		await until(async () => {
			await this.open();
			if (await appears(this.items.first())) return true;
			await this.close();
			return false;
		});
	}

	/** @param name of an entry. The selected one is there before the others are loaded. */
	untilLoaded = (name = '') => this.items.filter({ hasText: name }).first().waitFor();

	/** Closes the list by a click elsewhere; a list that could not be loaded does not react to keys. */
	async close(): Promise<void> {
		await this.page.getByTestId('ndv').getByTestId('tab-params').click();
		await this.untilExpanded(false);
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
		const next = this.items.nth(await this.items.count());
		await until(async () => {
			await this.items.first().scrollIntoViewIfNeeded();
			await this.items.last().scrollIntoViewIfNeeded();
			return await appears(next);
		});
	}

	async pick(name: string): Promise<void> {
		await this.items.getByText(name, { exact: true }).click();
		await this.untilExpanded(false);
	}

	picked = () => this.locator.getByTestId('rlc-input').inputValue();

	/** What it says if it could not be loaded. */
	async problem() {
		const container = this.page.getByTestId('rlc-error-container');
		await container.waitFor();
		return {
			message: await container.getByTestId('rlc-error-message').innerText(),
			description: (await container.locator('.notice-content').innerText()).trim(),
			leadsToCredential: (await container.getByTestId('permission-error-link').count()) > 0,
		};
	}

	private untilExpanded = (expanded: boolean) =>
		this.locator.locator(`[aria-haspopup="dialog"][aria-expanded="${expanded}"]`).waitFor();
}

/** Whether it is there within some seconds. */
const appears = async (locator: Locator) =>
	await locator.waitFor({ state: 'attached', timeout: 5_000 }).then(
		() => true,
		() => false,
	);
