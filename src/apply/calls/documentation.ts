const change = {
  ...{ kind: 'client', key: 'shop', action: 'update' },
  fields: [{ field: 'name', before: 'Shop', after: 'Web shop' }],
}

/** Descriptions in the API document that are not part of the contract. */
export const declarationDocumentation = {
  applyDeclaration: {
    description:
      'Does the same as `gatehouse apply`. Besides this permission, each object needs the permission of the call that changes it ' +
      'alone: to read it, and to create, update or delete it. A change that lowers security needs a person with a recent proof. An ' +
      'API key cannot register applications and APIs, and cannot give them secrets. Files and variables of the server are not read. ' +
      'First send `dryRun` and show the `changes`; then send their `digest` as `expected`. If something else has changed since, ' +
      'nothing is applied. The message of a refusal begins with the key of the object.',
    example: {
      body: {
        declaration: 'source: shop\nclients:\n  shop: { name: Web shop, redirectUris: [https://shop.example.com/callback] }\n',
        ...{ prune: false, dryRun: true, force: false },
      },
      response: {
        ...{ source: 'shop', isApplied: false, changes: [change] },
        ...{ digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', logoProblems: [] },
      },
    },
  },
  exportDeclaration: {
    description:
      'Does the same as `gatehouse export-declaration`. If you apply the text at once, it changes nothing. Each section also needs ' +
      'the permission to read its objects. Secrets are not exported: `keepSecret: true` stands in their place and keeps the stored ' +
      'secret.',
    example: {
      response: {
        declaration:
          'source: exported\nclients:\n  shop:\n    name: Shop\n    redirectUris:\n      - https://shop.example.com/callback\n    keepSecret: true\n',
      },
    },
  },
}
