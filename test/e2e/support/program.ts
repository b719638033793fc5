import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * The path of the first of these programs that is installed.
 *
 * @param missing what needs the program, and what to install
 * @param folders to search before those of the PATH
 */
export async function findProgram(names: string[], missing: string, folders: string[] = []): Promise<string> {
	const path = [...folders, ...process.env.PATH!.split(delimiter)];
	for (const file of names.flatMap((name) => path.map((folder) => join(folder, name)))) {
		const isThere = await access(file, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (isThere) return file;
	}
	throw new Error(missing);
}
