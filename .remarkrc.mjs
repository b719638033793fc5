/* Links and headings of the documents exist: `npm run links`. */
import remarkValidateLinks from 'remark-validate-links';

export default { plugins: [[remarkValidateLinks, { repository: false }]] };
