import type { Page } from 'playwright-core';

import type { Interaction } from './interaction';

/** The dialog under Settings > Community nodes that installs a package. */
export class InstallDialog {
	constructor(
		private readonly page: Page,
		private readonly interaction: Interaction,
	) {}

	async untilShown(): Promise<void> {
		await this.dialog.waitFor();
	}

	/** Fills in everything that has to be filled in. */
	async prepare(packageName: string): Promise<void> {
		await this.interaction.fill(this.dialog.getByTestId('package-name-input'), packageName);
		await this.interaction.click(this.dialog.getByTestId('user-agreement-checkbox'));
	}

	/** Whether the last click would install the package. */
	async isReady(): Promise<boolean> {
		return await this.dialog.getByTestId('install-community-package-button').isEnabled();
	}

	/** Does the last click, and waits until n8n has installed the package. */
	async install(): Promise<void> {
		await this.interaction.click(this.dialog.getByTestId('install-community-package-button'));
		await this.dialog.waitFor({ state: 'hidden' });
	}

	private get dialog() {
		return this.page.getByTestId('communityPackageInstall-modal');
	}
}
