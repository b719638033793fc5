import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Rows } from '../../../sandbox/workflow/deduplication';

/** A table that several processes use, with a file for each row. As in a database, nobody ever reads half a row. */
export class RowsInFiles implements Rows {
	/** @param folder used only by this table */
	constructor(private readonly folder: string) {}

	get(key: string): string | undefined {
		const file = this.fileOf(key);
		return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
	}

	set(key: string, row: string): void {
		const written = `${this.fileOf(key)}.${process.pid}`;
		writeFileSync(written, row);
		renameSync(written, this.fileOf(key));
	}

	private fileOf(key: string): string {
		return join(this.folder, encodeURIComponent(key));
	}
}
