/** What every request to the service has in common. */
export const requestDefaults = {
	headers: {
		// Without both, the service answers with a web page or sends the request to its login page.
		Accept: 'application/json',
		'X-Requested-With': 'XMLHttpRequest',
	},
	disableFollowRedirect: true,
} as const;
