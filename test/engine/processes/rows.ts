import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Rows } from '../n8n/deduplication';

/** A table that several processes use, with a file for each row. As in a database, nobody ever reads half a row. */
export class RowsInFiles implements Rows {
	/** @param folder used only by this table */
	constructor(private readonly folder: string) {}

	get(key: string): string | undefined {
		try {
			return readFileSync(this.fileOf(key), 'utf8');
		} catch {
			return undefined;
		}
	}

	insert(key: string, row: string): boolean {
		const written = this.written(key, row);
		try {
			linkSync(written, this.fileOf(key));
			return true;
		} catch {
			return false;
		} finally {
			rmSync(written);
		}
	}

	update(key: string, row: string): void {
		if (this.get(key) !== undefined) renameSync(this.written(key, row), this.fileOf(key));
	}

	delete(key: string): void {
		rmSync(this.fileOf(key), { force: true });
	}

	/** A new file, which no other process reads. */
	private written(key: string, row: string): string {
		const file = `${this.fileOf(key)}.${process.pid}`;
		writeFileSync(file, row);
		return file;
	}

	private fileOf(key: string): string {
		return join(this.folder, encodeURIComponent(key));
	}
}
