import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Rows } from '../../../sandbox/workflow/deduplication';

const ending = '.json';

/** A table that several processes use, with a file for each row. As in a database, nobody ever reads half a row. */
export class RowsInFiles implements Rows {
	/** @param folder used only by this table */
	constructor(private readonly folder: string) {}

	get(key: string): string | undefined {
		return this.has(key) ? readFileSync(this.fileOf(key), 'utf8') : undefined;
	}

	has(key: string): boolean {
		return existsSync(this.fileOf(key));
	}

	set(key: string, row: string): void {
		const written = `${this.fileOf(key)}.${process.pid}`;
		writeFileSync(written, row);
		renameSync(written, this.fileOf(key));
	}

	*[Symbol.iterator](): Generator<[key: string, row: string]> {
		for (const file of readdirSync(this.folder).filter((name) => name.endsWith(ending))) {
			const key = decodeURIComponent(file.slice(0, -ending.length));
			yield [key, this.get(key)!];
		}
	}

	private fileOf(key: string): string {
		return join(this.folder, `${encodeURIComponent(key)}${ending}`);
	}
}
