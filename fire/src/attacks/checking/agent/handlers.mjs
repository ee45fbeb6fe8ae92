const count = ({ texts }) => ({ count: texts.length })

// oxlint-disable-next-line import/no-default-export -- as every file of handlers
export default { match: count, list: count }
