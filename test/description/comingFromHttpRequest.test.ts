import { operations } from '../operations';
import { pageOf, tableOf } from './page';

/* The page for people who come from the HTTP Request node names the field for each parameter of the API. */

const parameters = operations
	.filter(({ asks }) => !asks)
	.flatMap(({ variants }) => variants.flatMap(({ fields }) => fields))
	// Parameters of a list's fields are in 'Fields'.
	.flatMap(({ wire, label }) => (wire && !wire.includes('.') ? { wire, label } : []));

test.each(['docs/from-http-request.md', 'docs/ru/from-http-request.md'])(
	'%s names every parameter of the API, with the label of its field',
	(file) => {
		const rows = tableOf(pageOf(file), /HTTP Request$/) as Array<[string, string]>;
		const isNamed = ({ wire, label }: { wire: string; label: string }) =>
			rows.some(([names, fields]) => names.includes(`\`${wire}\``) && fields.includes(label));
		expect(parameters.length).toBeGreaterThan(20);
		expect(parameters.filter((each) => !isNamed(each))).toEqual([]);
	},
);
