exports.handler = async () => "common";
