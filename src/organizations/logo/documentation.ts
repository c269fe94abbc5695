const organization = {
  ...{ id: 'o7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', name: 'Acme', slug: 'acme', metadata: null, requiresSecondFactor: false },
  ...{ logo: 'https://id.example.com/images/Vt3kQ0xZ8nLw2sYcVt3kQ0xZ8nLw2sYc', createdAt: '2026-11-23T09:00:00.000Z' },
}

/** What the API document says besides the contract. */
export const organizationLogoDocumentation = {
  setOrganizationLogo: {
    description:
      'The body is the file: PNG, JPEG, WebP, GIF or AVIF, up to 5 MB and 25 million pixels, whatever its name and type. What is kept is a PNG with 512 ' +
      'pixels on each side, transparent around the logo; its address becomes `logo` of the organization, another one for each file.',
    example: { response: organization },
  },
  removeOrganizationLogo: { example: { response: { ...organization, logo: null } } },
}
