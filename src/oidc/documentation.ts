/** What the API document says besides the contract. The pages load contracts, and none of this. */
export const applicationDocumentation = {
  consent: {
    description:
      'For a consent page of your own (`oidc.consentPage`). `interaction` is the one that the address of the page names; the browser goes to `redirectURI` in either case.',
    example: {
      body: { accept: true, interaction: 'Vt3kQ0xZ8nLw2sYc' },
      response: { redirectURI: 'https://id.example.com/oauth2/authorize/Vt3kQ0xZ8nLw2sYc' },
    },
  },
}
